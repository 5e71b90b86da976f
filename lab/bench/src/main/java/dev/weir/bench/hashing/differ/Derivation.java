package dev.weir.bench.hashing.differ;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** A tree that a grammar derives: which rule made which bytes. */
sealed interface Derivation {
    /** Returns the bytes of the tree. */
    byte[] bytes();

    /** Adds the names of the rules that made visible bytes. */
    void rules(Set<String> names);

    /**
     * Literal text.
     *
     * @param text characters that become UTF-8
     */
    record Leaf(String text) implements Derivation {
        @Override
        public byte[] bytes() {
            return text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void rules(Set<String> names) {
            // Only nodes have a rule.
        }
    }

    /**
     * An application of a rule.
     *
     * @param rule       name of the rule
     * @param transforms changes of the bytes, in order
     * @param children   what the chosen alternative consists of
     */
    record Node(String rule, List<Transform> transforms, List<Derivation> children) implements Derivation {
        public Node {
            transforms = List.copyOf(transforms);
            children = List.copyOf(children);
        }

        Node withChildren(List<Derivation> changed) {
            return new Node(rule, transforms, changed);
        }

        @Override
        public byte[] bytes() {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            children.forEach(child -> out.writeBytes(child.bytes()));
            byte[] bytes = out.toByteArray();
            for (Transform transform : transforms) {
                bytes = transform.apply(bytes);
            }
            return bytes;
        }

        @Override
        public void rules(Set<String> names) {
            if (children.stream().anyMatch(child -> child instanceof Leaf leaf && !leaf.text().isBlank())) {
                names.add(rule);
            }
            children.forEach(child -> child.rules(names));
        }
    }
}
