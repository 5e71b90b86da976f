package dev.weir.storage.access;

import java.util.List;

import dev.weir.model.Networks;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a storage: everything that decides who gets which answer. Plain data; the {@code Gate} applies it.
 *
 * @param blocked sources that are not answered at all (over a connection: refused with 503)
 * @param encryptedOnly whether plain requests are refused with 415
 * @param noAmplification whether a plain datagram whose reply would be longer than itself is dropped. Not Rspamd's;
 *            clients of version 4 and 5 cannot ask for a digest without shingles in the clear then
 *            (docs/reference/protocol.md#amplification)
 * @param updates who may write and delete
 * @param answers what is kept back
 * @param limits how much may be asked
 * @param keys of the configuration; the last one is also used for requests that name none
 * @param dynamicKeys that come and go; one that begins with the same 8 bytes as another is left out
 */
public record Access(Networks blocked, boolean encryptedOnly, boolean noAmplification, Updates updates,
        Answers answers, Limits limits, List<ServerKey> keys, List<ServerKey> dynamicKeys) {
    /** All clients may check, none may change anything, and there are no keys. */
    public static final Access DEFAULT = new Access(Networks.NONE, false, false, Updates.BY_KEY, Answers.ALL,
            Limits.NONE, List.of(), List.of());

    /** Copies the lists. */
    public Access {
        keys = List.copyOf(keys);
        dynamicKeys = List.copyOf(dynamicKeys);
    }

    /** Returns a copy with sources that are not answered. */
    public Access withBlocked(Networks networks) {
        return new Access(networks, encryptedOnly, noAmplification, updates, answers, limits, keys, dynamicKeys);
    }

    /** Returns a copy with plain requests refused, or not. */
    public Access withEncryptedOnly(boolean only) {
        return new Access(blocked, only, noAmplification, updates, answers, limits, keys, dynamicKeys);
    }

    /** Returns a copy with long replies to short plain datagrams refused, or not. */
    public Access withNoAmplification(boolean none) {
        return new Access(blocked, encryptedOnly, none, updates, answers, limits, keys, dynamicKeys);
    }

    /** Returns a copy with others who may write. */
    public Access withUpdates(Updates rules) {
        return new Access(blocked, encryptedOnly, noAmplification, rules, answers, limits, keys, dynamicKeys);
    }

    /** Returns a copy with others that may write by where they come from; see {@link Updates#sources}. */
    public Access withUpdateSources(@Nullable Networks networks) {
        return withUpdates(updates.withSources(networks));
    }

    /** Returns a copy with other answers. */
    public Access withAnswers(Answers rules) {
        return new Access(blocked, encryptedOnly, noAmplification, updates, rules, limits, keys, dynamicKeys);
    }

    /** Returns a copy with other limits. */
    public Access withLimits(Limits rules) {
        return new Access(blocked, encryptedOnly, noAmplification, updates, answers, rules, keys, dynamicKeys);
    }

    /** Returns a copy with other keys of the configuration. */
    public Access withKeys(List<ServerKey> list) {
        return new Access(blocked, encryptedOnly, noAmplification, updates, answers, limits, list, dynamicKeys);
    }

    /** Returns a copy with other keys of the configuration, whose users may read. */
    public Access withKeyPairs(List<KeyPair> pairs) {
        return withKeys(pairs.stream().map(ServerKey::of).toList());
    }

    /** Returns a copy with other keys that come and go. */
    public Access withDynamicKeys(List<ServerKey> list) {
        return new Access(blocked, encryptedOnly, noAmplification, updates, answers, limits, keys, list);
    }
}
