package dev.weir.config.ucl;

import java.util.List;
import java.util.Locale;

import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;
import org.jspecify.annotations.Nullable;

/** The strategies for a key that its section already has (docs/reference/configuration-language.md#duplicate-keys). */
enum Duplicates {
    /** The higher priority wins; values of equal priority coexist. */
    APPEND,
    /** Sections and arrays are merged, except separate sections; single values follow {@link #APPEND}. */
    MERGE,
    /** The later value wins. */
    REWRITE,
    /** The text is rejected. */
    ERROR;

    static @Nullable Duplicates named(String name) {
        for (Duplicates strategy : values()) {
            if (strategy.name().toLowerCase(Locale.ROOT).equals(name)) {
                return strategy;
            }
        }
        return null;
    }

    /**
     * Puts a value under a key.
     *
     * @param at the place of the value
     * @return the node that receives the following members or items: the value itself, the value that it is merged
     *         into, or a detached value if it lost against a higher priority
     */
    Node insert(Node.Section target, String key, Node value, Origin at, Session session) throws UclSyntaxException {
        List<Node> old = target.members().get(key);
        if (old == null) {
            target.add(key, value);
            return value;
        }
        Node first = old.getFirst();
        if (first.inherited()) {
            target.replace(key, value);
            return value;
        }
        return switch (this) {
            case ERROR -> throw new UclSyntaxException(at,
                    "\"" + key + "\" already exists (" + first.origin() + "), and this file may not repeat keys");
            case REWRITE -> {
                target.replace(key, value);
                yield value;
            }
            case APPEND -> byPriority(target, key, old, value, at, session);
            case MERGE -> merge(target, key, old, value, at, session);
        };
    }

    private static Node byPriority(Node.Section target, String key, List<Node> old, Node value, Origin at,
            Session session) {
        Node first = old.getFirst();
        if (value.priority() == first.priority()) {
            old.add(value);
        } else if (value.priority() > first.priority()) {
            if (value instanceof Node.Section && first instanceof Node.Section) {
                session.warn(Problem.warning(at, "replaces the whole \"" + key + "\" of " + first.origin()
                        + (old.size() > 1 ? " and " + (old.size() - 1) + " more of that name" : "")
                        + ", not only the keys given here; a file of local.d would be merged into it"));
            }
            target.replace(key, value);
        }
        return value;
    }

    private static Node merge(Node.Section target, String key, List<Node> old, Node value, Origin at, Session session)
            throws UclSyntaxException {
        Node first = old.getFirst();
        if (first instanceof Node.Leaf) {
            return byPriority(target, key, old, value, at, session);
        }
        if (value instanceof Node.Leaf) {
            target.replace(key, value);
            return value;
        }
        if (session.keepsSeparate(key)) {
            old.add(value);
            return value;
        }
        if (first.getClass() != value.getClass()) {
            throw new UclSyntaxException(at, "cannot merge "
                    + (value instanceof Node.Section ? "a section into the array" : "an array into the section") + " \""
                    + key + "\" of " + first.origin());
        }
        if (old.size() > 1) {
            session.warn(Problem.warning(at, "there are " + old.size() + " of \"" + key
                    + "\" and this is merged into the first one only (" + first.origin() + ")"));
        }
        return first;
    }
}
