package dev.weir.storage.access;

import java.util.List;

import dev.weir.model.Networks;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;

/**
 * The access rules of a storage, which decide how each request is answered. This is plain data; the {@code Gate}
 * applies it.
 *
 * @param blocked sources whose datagrams are dropped and whose requests over a connection are refused with 503
 * @param encryptedOnly whether to refuse plain requests with 415
 * @param noAmplification whether to drop a plain datagram if the reply would be longer. Rspamd has no such option. It
 *            stops clients of versions 4 and 5 from checking a digest without shingles unencrypted
 *            (docs/reference/protocol.md#amplification)
 * @param updates the rules for writes and deletes
 * @param answers what to withhold from replies
 * @param limits the rate limits
 * @param keys the keys in the configuration; the last one also serves requests that name no key
 * @param dynamicKeys the keys that may change at run time; a key is ignored if an earlier one starts with the same 8
 *            bytes
 */
public record Access(Networks blocked, boolean encryptedOnly, boolean noAmplification, WriteRules updates,
        ReplyRules answers, Limits limits, List<ServerKey> keys, List<ServerKey> dynamicKeys) {
    /** The default rules: every client may check, no client may update, and there are no keys. */
    public static final Access DEFAULT = new Access(Networks.NONE, false, false, WriteRules.BY_KEY, ReplyRules.ALL,
            Limits.NONE, List.of(), List.of());

    /** Copies the lists. */
    public Access {
        keys = List.copyOf(keys);
        dynamicKeys = List.copyOf(dynamicKeys);
    }

    /** Returns a copy with other blocked sources. */
    public Access withBlocked(Networks networks) {
        return new Access(networks, encryptedOnly, noAmplification, updates, answers, limits, keys, dynamicKeys);
    }

    /** Returns a copy that refuses or accepts plain requests. */
    public Access withEncryptedOnly(boolean only) {
        return new Access(blocked, only, noAmplification, updates, answers, limits, keys, dynamicKeys);
    }

    /** Returns a copy that drops or answers plain datagrams with longer replies. */
    public Access withNoAmplification(boolean none) {
        return new Access(blocked, encryptedOnly, none, updates, answers, limits, keys, dynamicKeys);
    }

    /** Returns a copy with other rules for updates. */
    public Access withUpdates(WriteRules rules) {
        return new Access(blocked, encryptedOnly, noAmplification, rules, answers, limits, keys, dynamicKeys);
    }

    /** Returns a copy with other sources that may update; see {@link WriteRules#sources}. */
    public Access withUpdateSources(@Nullable Networks networks) {
        return withUpdates(updates.withSources(networks));
    }

    /** Returns a copy with other rules for answers. */
    public Access withAnswers(ReplyRules rules) {
        return new Access(blocked, encryptedOnly, noAmplification, updates, rules, limits, keys, dynamicKeys);
    }

    /** Returns a copy with other limits. */
    public Access withLimits(Limits rules) {
        return new Access(blocked, encryptedOnly, noAmplification, updates, answers, rules, keys, dynamicKeys);
    }

    /** Returns a copy with other configured keys. */
    public Access withKeys(List<ServerKey> list) {
        return new Access(blocked, encryptedOnly, noAmplification, updates, answers, limits, list, dynamicKeys);
    }

    /** Returns a copy with other configured keys, whose users may read. */
    public Access withKeyPairs(List<KeyPair> pairs) {
        return withKeys(pairs.stream().map(ServerKey::of).toList());
    }

    /** Returns a copy with other dynamic keys. */
    public Access withDynamicKeys(List<ServerKey> list) {
        return new Access(blocked, encryptedOnly, noAmplification, updates, answers, limits, keys, list);
    }
}
