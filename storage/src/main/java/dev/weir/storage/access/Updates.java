package dev.weir.storage.access;

import java.util.Set;

import dev.weir.model.Networks;
import org.jspecify.annotations.Nullable;

/**
 * Who may write and delete (docs/reference/storage.md#write-permission). The first of these that is given decides
 * alone.
 *
 * @param readOnly whether all updates are refused
 * @param sources sources that may update, beside Unix-domain sockets; null if sources are not restricted.
 *            An empty list in a configuration says nothing, so it is null here; a list that became empty since is not
 * @param keyIds full identifiers ({@code PublicKey.id} in base32, 103 characters) of keys of the storage whose users
 *            may; for keys that are not here the rights in their {@link KeyRules} decide
 */
public record Updates(boolean readOnly, @Nullable Networks sources, Set<String> keyIds) {
    /** No source may, unless its key says so. */
    public static final Updates BY_KEY = new Updates(false, null, Set.of());

    /** Copies the set. */
    public Updates {
        keyIds = Set.copyOf(keyIds);
    }

    /** Returns a copy with everything refused, or not. */
    public Updates withReadOnly(boolean only) {
        return new Updates(only, sources, keyIds);
    }

    /** Returns a copy with sources; null for nothing said about them. */
    public Updates withSources(@Nullable Networks networks) {
        return new Updates(readOnly, networks, keyIds);
    }

    /** Returns a copy with key identifiers. */
    public Updates withKeyIds(Set<String> ids) {
        return new Updates(readOnly, sources, ids);
    }
}
