package dev.weir.storage.access.gate;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

import dev.weir.model.AddressBits;
import dev.weir.model.Network;
import dev.weir.model.Networks;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.Delay;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.WriteRules;
import dev.weir.storage.index.FlagThresholds;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.key.ServerKeys;
import dev.weir.wire.reply.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the access rules, prepared for fast evaluation. One snapshot governs a request from its first byte to
 * its reply. Thread-safe; evaluation neither allocates nor locks.
 *
 * <p>The order of decisions is that of Rspamd (docs/reference/storage.md#order-of-decisions): call {@link #refuses},
 * parse and decrypt the request with {@link #keys}, then call {@link #judge}. Apply {@link #skipped},
 * {@link #delaySeconds} and {@link #forbidden} to the result of a check.
 */
public final class Rules {
    private static final Networks EXEMPT = Networks.perFamily("127.0.0.0/8", "::1", "fe80::/10", "fec0::/10");

    private final Access access;
    private final ServerKeys keys;
    private final long[] wireIds;
    private final KeyAccess[] byWireId;
    private final @Nullable NetworkBuckets buckets;
    private final DynamicBlocks blocks;
    private final Overruns overruns;
    private final SkipList skips;

    Rules(Access access, ServerKeys keys, List<KeyAccess> keyRules, @Nullable NetworkBuckets buckets,
            Overruns overruns, DynamicBlocks blocks, SkipList skips) {
        this.access = access;
        this.keys = keys;
        this.byWireId = keyRules.toArray(KeyAccess[]::new);
        Arrays.sort(byWireId, Comparator.comparingLong(key -> key.publicKey().wireId()));
        this.wireIds = Arrays.stream(byWireId).mapToLong(key -> key.publicKey().wireId()).toArray();
        this.buckets = buckets;
        this.overruns = overruns;
        this.blocks = blocks;
        this.skips = skips;
    }

    /** Returns the configured rules. */
    public Access access() {
        return access;
    }

    /** Returns the keys that decrypt requests. */
    public ServerKeys keys() {
        return keys;
    }

    /** Returns the rules of all keys. */
    public List<KeyAccess> allKeys() {
        return List.of(byWireId);
    }

    @Nullable
    NetworkBuckets buckets() {
        return buckets;
    }

    /**
     * Returns the rules of one of {@link #keys}.
     *
     * @param wireId the wire identifier of the public key
     * @throws IllegalArgumentException if there is no such key
     */
    public KeyAccess key(long wireId) {
        int at = Arrays.binarySearch(wireIds, wireId);
        if (at < 0) {
            throw new IllegalArgumentException("unknown key");
        }
        return byWireId[at];
    }

    /**
     * Returns whether to drop a datagram unread because of its source (step 1 of
     * docs/reference/storage.md#order-of-decisions).
     */
    public boolean refuses(Source source, long nowMillis) {
        return isBlocked(source) || blocks.contains(source, nowMillis);
    }

    /** Returns whether the configuration, rather than a script, blocks a source. */
    public boolean isBlocked(Source source) {
        return source.isIn(access.blocked());
    }

    /** Returns the error code for a blocked source over a connection. */
    public int blockCode(Source source) {
        return isBlocked(source) ? ErrorCode.FORBIDDEN : blocks.code(source);
    }

    /** Returns how many slots a near duplicate must share, for each flag. */
    public FlagThresholds thresholds() {
        return access.answers().thresholds();
    }

    /** Returns whether a source is exempt from the rate limit of networks. */
    public boolean isExempt(Source source) {
        NetworkLimit limit = access.limits().network();
        return source.isIn(EXEMPT) || (limit != null && source.isIn(limit.exempt()));
    }

    /**
     * Returns whether to close a connection on accept. The connection counts as a request
     * (docs/reference/storage.md#limits-of-networks).
     */
    public boolean refusesConnection(Source source, long nowMillis) {
        return refuses(source, nowMillis) || isOver(source, nowMillis);
    }

    /**
     * Decides how to treat a command (steps 4 to 14 of docs/reference/storage.md#order-of-decisions). The command
     * counts against rate limits, so call this only once.
     *
     * @param key the rules of the key that decrypted the command, or null for a plain command
     */
    public Verdict judge(Command command, @Nullable KeyAccess key, Source source, long nowMillis) {
        if (access.encryptedOnly() && key == null) {
            return amplifies(command, source) ? Verdict.DROP_AMPLIFYING : Verdict.ENCRYPTION_REQUIRED;
        }
        if (source.isStream() && refuses(source, nowMillis)) {
            return Verdict.BLOCKED;
        }
        if (key == null && amplifies(command, source)) {
            return Verdict.DROP_AMPLIFYING;
        }
        Verdict verdict = permit(command, key, source, nowMillis);
        int shingles = command.statedShingles();
        return (verdict == Verdict.CHECK || verdict == Verdict.UPDATE) && shingles != 0 && shingles != Protocol.SHINGLES
                ? Verdict.WRONG_SHINGLES
                : verdict;
    }

    private Verdict permit(Command command, @Nullable KeyAccess key, Source source, long nowMillis) {
        return switch (command.code()) {
            case CommandCode.CHECK -> check(key, source, nowMillis);
            case CommandCode.STAT -> isOver(source, nowMillis) ? Verdict.DROP_LIMITED : Verdict.STAT;
            case CommandCode.PING -> isOver(source, nowMillis) ? Verdict.DROP_LIMITED : Verdict.PING;
            case CommandCode.WRITE -> !mayUpdate(command.code(), key, source)
                    ? Verdict.FORBIDDEN
                    : access.answers().skipped().contains(command.bytes(), command.digestOffset())
                            || skips.digests().contains(command.bytes(), command.digestOffset())
                                    ? Verdict.SKIPPED
                                    : Verdict.UPDATE;
            case CommandCode.DEL -> mayUpdate(command.code(), key, source) ? Verdict.UPDATE : Verdict.FORBIDDEN;
            default -> mayUpdate(command.code(), key, source) ? Verdict.UNKNOWN_COMMAND : Verdict.FORBIDDEN;
        };
    }

    private Verdict check(@Nullable KeyAccess key, Source source, long now) {
        boolean over = isOver(source, now);
        if (key == null) {
            return over ? Verdict.RATE_LIMITED : Verdict.CHECK;
        }
        if (!key.admits(now)) {
            overruns.key(key, now, access.limits().logOnly());
            over |= !access.limits().logOnly();
        }
        if (key.isExpired(now)) {
            return Verdict.KEY_EXPIRED;
        }
        if (!key.mayRead()) {
            return Verdict.KEY_CANNOT_READ;
        }
        return over ? Verdict.RATE_LIMITED : Verdict.CHECK;
    }

    private boolean amplifies(Command command, Source source) {
        return access.noAmplification() && isAmplified(command, source);
    }

    /** Returns whether a possibly forged address could receive a reply longer than the plain command. */
    public static boolean isAmplified(Command command, Source source) {
        return !source.isStream() && command.epoch().reply().size() > command.length();
    }

    private boolean isOver(Source source, long now) {
        return !networkAdmits(source, now) && !access.limits().logOnly();
    }

    private boolean networkAdmits(Source source, long now) {
        NetworkLimit limit = access.limits().network();
        if (limit == null || buckets == null || source.isUnixSocket() || isExempt(source)) {
            return true;
        }
        int bits = limit.bits(AddressBits.isV4(source.high(), source.low()));
        NetworkBuckets.Verdict verdict = buckets.add(source.high() & Network.highMask(bits),
                source.low() & Network.lowMask(bits), limit.limit(), limit.ttl().toMillis(), now);
        if (verdict == NetworkBuckets.Verdict.FIRST_OVER) {
            source.markFirstOver();
            overruns.network(source, limit, now, access.limits().logOnly());
        }
        return verdict == NetworkBuckets.Verdict.PASS;
    }

    /**
     * Returns whether an update is permitted (docs/reference/storage.md#write-permission). Rights of a key never cover
     * unknown command codes.
     */
    private boolean mayUpdate(int code, @Nullable KeyAccess key, Source source) {
        WriteRules updates = access.updates();
        if (updates.readOnly()) {
            return false;
        }
        Networks sources = updates.sources();
        if (sources != null) {
            return source.isUnixSocket() || source.isIn(sources);
        }
        if (key == null) {
            return false;
        }
        return key.updatesAllowed() || switch (code) {
            case CommandCode.WRITE -> key.mayWrite();
            case CommandCode.DEL -> key.mayDelete();
            default -> false;
        };
    }

    /** Returns whether a digest can neither be learned nor matched. */
    public boolean skipped(long[] digest) {
        return access.answers().skipped().contains(digest) || skips.digests().contains(digest);
    }

    /** Returns the flags hidden from a client. */
    public FlagSet forbidden(@Nullable KeyAccess key) {
        return key == null ? access.answers().forbidden() : key.forbidden();
    }

    /** Returns the flags to list after all others. */
    public FlagSet weak() {
        return access.answers().weak();
    }

    /**
     * Returns how long to withhold newly learned flags from a source, in seconds, or 0.
     *
     * @param chance a random number for this request, 0 to 1
     */
    public double delaySeconds(Source source, double chance) {
        Delay delay = access.answers().delay();
        double seconds = delay.time().toMillis() / 1000.0;
        return seconds <= 0 || source.isIn(delay.exempt()) ? 0 : seconds + chance * (seconds / 2);
    }

    /** Returns whether checks may renew hashes. */
    public boolean renews() {
        return !access.updates().readOnly();
    }
}
