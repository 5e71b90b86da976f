package dev.weir.storage.access;

import java.util.Set;

import dev.weir.model.Networks;
import org.jspecify.annotations.Nullable;

/**
 * The rules for writes and deletes (docs/reference/storage.md#write-permission). The first component that is set
 * decides.
 *
 * @param readOnly whether to refuse all updates
 * @param sources the sources that may update, in addition to Unix-domain sockets; null if sources do not decide. An
 *            empty list in the configuration becomes null, whereas an empty file permits no source
 * @param keyIds the full identifiers ({@code PublicKey.id} in base32, 103 characters) of keys whose users may update;
 *            for other keys, the {@link KeyRules} decide
 */
public record WriteRules(boolean readOnly, @Nullable Networks sources, Set<String> keyIds) {
    /** Only keys permit updates. */
    public static final WriteRules BY_KEY = new WriteRules(false, null, Set.of());

    /** Copies the set of identifiers. */
    public WriteRules {
        keyIds = Set.copyOf(keyIds);
    }

    /** Returns a copy that refuses or permits updates. */
    public WriteRules withReadOnly(boolean only) {
        return new WriteRules(only, sources, keyIds);
    }

    /** Returns a copy with other sources, or null if sources do not decide. */
    public WriteRules withSources(@Nullable Networks networks) {
        return new WriteRules(readOnly, networks, keyIds);
    }

    /** Returns a copy with other key identifiers. */
    public WriteRules withKeyIds(Set<String> ids) {
        return new WriteRules(readOnly, sources, ids);
    }
}
