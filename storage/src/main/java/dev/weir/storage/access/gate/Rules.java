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
import dev.weir.storage.access.Updates;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.key.ServerKeys;
import dev.weir.wire.reply.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * The rules that are in force at one moment, ready to be asked; a request is judged by one such object from its first
 * byte to its reply. Any thread may ask; asking makes no objects and takes no lock.
 *
 * <p>The order is Rspamd's (docs/reference/storage.md#order-of-decisions): {@link #refuses}, then the bytes are parsed
 * and decrypted with {@link #keys}, then {@link #judge}; what a check found goes through {@link #skipped},
 * {@link #delaySeconds} and {@link #forbidden}.
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

    Rules(Access access, ServerKeys keys, List<KeyAccess> keyRules, @Nullable NetworkBuckets buckets,
            Overruns overruns, DynamicBlocks blocks) {
        this.access = access;
        this.keys = keys;
        this.byWireId = keyRules.toArray(KeyAccess[]::new);
        Arrays.sort(byWireId, Comparator.comparingLong(key -> key.publicKey().wireId()));
        this.wireIds = Arrays.stream(byWireId).mapToLong(key -> key.publicKey().wireId()).toArray();
        this.buckets = buckets;
        this.overruns = overruns;
        this.blocks = blocks;
    }

    /** Returns the rules as they were given. */
    public Access access() {
        return access;
    }

    /** Returns the keys to open requests with. */
    public ServerKeys keys() {
        return keys;
    }

    /** Returns the rules of each key. */
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
     * @param wireId of its public half
     * @throws IllegalArgumentException if it is not one of them
     */
    public KeyAccess key(long wireId) {
        int at = Arrays.binarySearch(wireIds, wireId);
        if (at < 0) {
            throw new IllegalArgumentException("a key that is not here");
        }
        return byWireId[at];
    }

    /**
     * Returns whether to drop a datagram unread because of its source (docs/reference/storage.md#order-of-decisions,
     * 1).
     */
    public boolean refuses(Source source, long nowMillis) {
        return isBlocked(source) || blocks.contains(source, nowMillis);
    }

    /** Returns whether it is the configuration, rather than a script, that blocks a source. */
    public boolean isBlocked(Source source) {
        return source.isIn(access.blocked());
    }

    /** What a blocked source is answered over a connection. */
    public int blockCode(Source source) {
        return isBlocked(source) ? ErrorCode.FORBIDDEN : blocks.code(source);
    }

    /** Returns whether a source is never over the rate limit of networks. */
    public boolean isExempt(Source source) {
        NetworkLimit limit = access.limits().network();
        return source.isIn(EXEMPT) || (limit != null && source.isIn(limit.exempt()));
    }

    /**
     * Whether to close a connection at accept. It counts as a request (docs/reference/storage.md#limits-of-networks).
     */
    public boolean refusesConnection(Source source, long nowMillis) {
        return refuses(source, nowMillis) || isOver(source, nowMillis);
    }

    /**
     * Decides about a command (docs/reference/storage.md#order-of-decisions, 4 to 14). It counts against rate limits,
     * so ask once.
     *
     * @param key the rules of the key that opened it, or null for a plain one
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
        return switch (command.code()) {
            case CommandCode.CHECK -> check(key, source, nowMillis);
            case CommandCode.STAT -> isOver(source, nowMillis) ? Verdict.DROP_LIMITED : Verdict.STAT;
            case CommandCode.PING -> isOver(source, nowMillis) ? Verdict.DROP_LIMITED : Verdict.PING;
            case CommandCode.WRITE -> !mayUpdate(command.code(), key, source)
                    ? Verdict.FORBIDDEN
                    : access.answers().skipped().contains(command.bytes(), command.digestOffset())
                            ? Verdict.SKIPPED
                            : Verdict.UPDATE;
            case CommandCode.DEL -> mayUpdate(command.code(), key, source) ? Verdict.UPDATE : Verdict.FORBIDDEN;
            default -> mayUpdate(command.code(), key, source) ? Verdict.IGNORE : Verdict.FORBIDDEN;
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

    /** Returns whether the reply to a plain command may be longer than itself, to an address that may be made up. */
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
     * Write permission (docs/reference/storage.md#write-permission). Codes without a meaning need what no key can give.
     */
    private boolean mayUpdate(int code, @Nullable KeyAccess key, Source source) {
        Updates updates = access.updates();
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

    /** Returns whether a digest is blocked: neither learned nor matched. */
    public boolean skipped(long[] digest) {
        return access.answers().skipped().contains(digest);
    }

    /** Flags that a client does not see. */
    public FlagSet forbidden(@Nullable KeyAccess key) {
        return key == null ? access.answers().forbidden() : key.forbidden();
    }

    /** Flags that come after all others. */
    public FlagSet weak() {
        return access.answers().weak();
    }

    /**
     * How long what was learned is kept back from a source, in seconds; 0 for not at all.
     *
     * @param chance of this request, 0 to 1
     */
    public double delaySeconds(Source source, double chance) {
        Delay delay = access.answers().delay();
        double seconds = delay.time().toMillis() / 1000.0;
        return seconds <= 0 || source.isIn(delay.exempt()) ? 0 : seconds + chance * (seconds / 2);
    }

    /** Returns whether hashes may be renewed by checks. */
    public boolean renews() {
        return !access.updates().readOnly();
    }
}
