package dev.weir.config.ucl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

import dev.weir.config.source.Origin;

/**
 * A value while its document is being read: later files may still add to sections and arrays or replace them. The
 * finished tree is made of {@link UclValue}s.
 */
sealed interface Node {
    Origin origin();

    int priority();

    /** Whether the value was copied from elsewhere and gives way to any that is written here. */
    boolean inherited();

    /** The same content as an inherited value of its own; the caller counts the values. */
    Node inheritedCopy();

    UclValue freeze();

    /** How many values this is, itself included, or more than {@code limit}. */
    int size(int limit);

    /** How many levels of sections and arrays this is. */
    int height();

    /** A section being filled. */
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

    /** An array being filled. */
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
