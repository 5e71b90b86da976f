package dev.weir.config.ucl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

import dev.weir.config.source.Origin;

/**
 * A value of a document that is still being read. Later files may add to sections and arrays or replace values. The
 * finished tree consists of {@link UclValue}s.
 */
sealed interface Node {
    Origin origin();

    int priority();

    /** Returns whether the value was inherited. An inherited value yields to any value of this section. */
    boolean inherited();

    /** Returns a separate copy of the value, marked as inherited. The caller counts the values. */
    Node inheritedCopy();

    UclValue freeze();

    /** Returns the number of values in this tree, itself included, or a number above {@code limit}. */
    int size(int limit);

    /** Returns the number of levels of sections and arrays in this tree. */
    int height();

    /** A section under construction. */
    record Section(LinkedHashMap<String, List<Node>> members, Origin origin, int priority, boolean inherited)
            implements
                Node {
        Section(Origin origin, int priority) {
            this(new LinkedHashMap<>(), origin, priority, false);
        }

        void add(String key, Node value) {
            members.computeIfAbsent(key, k -> new ArrayList<>(1)).add(value);
        }

        void replace(String key, Node value) {
            List<Node> values = new ArrayList<>(1);
            values.add(value);
            members.put(key, values);
        }

        @Override
        public Section inheritedCopy() {
            LinkedHashMap<String, List<Node>> copy = new LinkedHashMap<>();
            members.forEach((key, values) -> {
                List<Node> copies = new ArrayList<>(values.size());
                values.forEach(value -> copies.add(value.inheritedCopy()));
                copy.put(key, copies);
            });
            return new Section(copy, origin, priority, true);
        }

        @Override
        public UclObject freeze() {
            LinkedHashMap<String, List<UclValue>> frozen = new LinkedHashMap<>();
            members.forEach((key, values) -> frozen.put(key, values.stream().map(Node::freeze).toList()));
            return new UclObject(frozen, origin, priority);
        }

        @Override
        public int size(int limit) {
            int size = 1;
            for (List<Node> values : members.values()) {
                for (Node value : values) {
                    if (size > limit) {
                        return size;
                    }
                    size += value.size(limit - size);
                }
            }
            return size;
        }

        @Override
        public int height() {
            return 1 + members.values().stream().flatMap(List::stream).mapToInt(Node::height).max().orElse(0);
        }
    }

    /** An array under construction. */
    record Items(List<Node> items, Origin origin, int priority, boolean inherited) implements Node {
        Items(Origin origin, int priority) {
            this(new ArrayList<>(), origin, priority, false);
        }

        @Override
        public Items inheritedCopy() {
            List<Node> copies = new ArrayList<>(items.size());
            items.forEach(item -> copies.add(item.inheritedCopy()));
            return new Items(copies, origin, priority, true);
        }

        @Override
        public UclArray freeze() {
            return new UclArray(items.stream().map(Node::freeze).toList(), origin, priority);
        }

        @Override
        public int size(int limit) {
            int size = 1;
            for (Node item : items) {
                if (size > limit) {
                    return size;
                }
                size += item.size(limit - size);
            }
            return size;
        }

        @Override
        public int height() {
            return 1 + items.stream().mapToInt(Node::height).max().orElse(0);
        }
    }

    /** A finished value without parts. */
    record Leaf(UclValue value, boolean inherited) implements Node {
        @Override
        public Origin origin() {
            return value.origin();
        }

        @Override
        public int priority() {
            return value.priority();
        }

        @Override
        public Leaf inheritedCopy() {
            return new Leaf(value, true);
        }

        @Override
        public UclValue freeze() {
            return value;
        }

        @Override
        public int size(int limit) {
            return 1;
        }

        @Override
        public int height() {
            return 0;
        }
    }
}
