package dev.weir.bench.hashing.differ;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The smaller variants of a derivation: a subtree or a stretch of text left out, a node replaced by a child. The texts
 * and children of a node with a header field {@code Content-…} stay, because a mail without its charset or its encoding
 * differs for other reasons.
 */
final class Reductions {
    /** Number of pieces into which a text is cut; each variant lacks one. */
    private static final int PIECES = 4;

    private Reductions() {}

    private record Variant(Derivation tree, int saved) {}

    /** Returns different variants of {@code tree} with fewer bytes, the smallest first. */
    static List<Derivation> of(Derivation tree) {
        List<Variant> variants = new ArrayList<>();
        int size = tree.bytes().length;
        variants(tree).forEach(variant -> variants.add(new Variant(variant, size - variant.bytes().length)));
        Set<Derivation> seen = new HashSet<>();
        return variants.stream()
                .filter(variant -> variant.saved() > 0 && seen.add(variant.tree()))
                .sorted(Comparator.comparingInt(Variant::saved).reversed())
                .map(Variant::tree)
                .toList();
    }

    private static boolean isPinned(Derivation.Node node) {
        return node.children().stream().anyMatch(child -> child instanceof Derivation.Leaf leaf
                && leaf.text().contains("Content-"));
    }

    private static List<Derivation> variants(Derivation tree) {
        return switch (tree) {
            case Derivation.Leaf leaf -> texts(leaf.text());
            case Derivation.Node node -> nodes(node);
        };
    }

    private static List<Derivation> texts(String text) {
        List<Derivation> variants = new ArrayList<>();
        int pieces = Math.min(text.length(), Math.max(PIECES, text.length() <= 40 ? text.length() : 0));
        for (int i = 0; i < pieces; i++) {
            int from = text.length() * i / pieces;
            int to = text.length() * (i + 1) / pieces;
            variants.add(new Derivation.Leaf(text.substring(0, from) + text.substring(to)));
        }
        return variants;
    }

    private static List<Derivation> nodes(Derivation.Node node) {
        List<Derivation> variants = new ArrayList<>();
        List<Derivation> children = node.children();
        int count = children.size();
        boolean pinned = isPinned(node);
        for (int length = pinned ? 0 : count; length > 0; length /= 2) {
            for (int from = 0; from + length <= count; from += length) {
                List<Derivation> rest = new ArrayList<>(children.subList(0, from));
                rest.addAll(children.subList(from + length, count));
                variants.add(node.withChildren(rest));
            }
        }
        for (int i = 0; i < count; i++) {
            Derivation child = children.get(i);
            List<Derivation> smaller = new ArrayList<>(pinned && child instanceof Derivation.Leaf
                    ? List.of()
                    : variants(child));
            if (child instanceof Derivation.Node inner) {
                inner.children().stream().filter(Derivation.Node.class::isInstance)
                        .filter(part -> !isPinned(inner) || isPinned((Derivation.Node) part)).forEach(smaller::add);
            }
            for (Derivation variant : smaller) {
                List<Derivation> changed = new ArrayList<>(children);
                changed.set(i, variant);
                variants.add(node.withChildren(changed));
            }
        }
        return variants;
    }
}
