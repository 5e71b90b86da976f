package dev.weir.storage.settings;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Pattern;

import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.ucl.UclInteger;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclValue;
import dev.weir.model.Digest;
import dev.weir.model.Networks;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.Delay;
import dev.weir.storage.access.DigestSet;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.Limits;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.access.ReplyRules;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.access.WriteRules;
import dev.weir.storage.index.FlagThresholds;
import org.jspecify.annotations.Nullable;

/** Reader for the access rules (docs/reference/storage.md#order-of-decisions). */
final class AccessSettings {
    /** An upper bound for rates and bursts, far beyond any real load. */
    private static final double MOST_REQUESTS = 1e12;
    private static final Pattern FLAG = Pattern.compile("[0-9]{1,10}");
    private static final long MOST_FLAG = 0xffff_ffffL;
    private static final Pattern KEY_ID = Pattern.compile("[a-z0-9]{103}");
    private static final Pattern DIGEST = Pattern.compile("[0-9a-fA-F]{128}");

    private final Section section;
    private final MapReader maps;
    private final Problems problems;

    AccessSettings(Section section, MapReader maps, Problems problems) {
        this.section = section;
        this.maps = maps;
        this.problems = problems;
    }

    Access read(List<ServerKey> keys, List<ServerKey> dynamicKeys) {
        Access access = Access.DEFAULT.withKeys(keys).withDynamicKeys(dynamicKeys)
                .withBlocked(networks("blocked"))
                .withEncryptedOnly(section.bool("encrypted_only").orElse(false))
                .withNoAmplification(section.bool("no_amplification").orElse(false))
                .withUpdates(updates())
                .withAnswers(answers())
                .withLimits(limits());
        if (access.encryptedOnly() && keys.isEmpty() && !section.has("dynamic_keys_map")) {
            section.refuse("encrypted_only", "requires a keypair: without one, every request would be rejected");
        }
        return access;
    }

    private Networks networks(String option) {
        return Networks.perFamily(maps.networks(section, option));
    }

    private WriteRules updates() {
        // An option without entries restricts nothing; an empty file permits no source.
        @Nullable
        Networks sources = section.map("allow_update").isPresent() ? networks("allow_update") : null;
        Set<String> keyIds = new HashSet<>();
        maps.words(section, "allow_update_keys", KEY_ID,
                "the full identifier of a key of this storage, 103 characters, as printed by weir keypair",
                keyIds::add);
        return new WriteRules(section.bool("read_only").orElse(false), sources, keyIds);
    }

    private ReplyRules answers() {
        Set<Digest> skipped = new LinkedHashSet<>();
        maps.words(section, "skip_hashes", DIGEST, "a digest of 128 hexadecimal digits",
                text -> Digest.parse(text).ifPresent(skipped::add));
        Duration delay = section.seconds("delay").orElse(Duration.ZERO);
        Networks exempt = networks("delay_whitelist");
        return new ReplyRules(flags(section, "forbidden_ids"), flags(section, "weak_ids"), DigestSet.of(skipped),
                delay.isZero() ? Delay.NONE : new Delay(delay, exempt), thresholds());
    }

    private FlagThresholds thresholds() {
        Map<Integer, Integer> byFlag = new HashMap<>();
        for (UclValue value : section.raw("flag_thresholds")) {
            if (!(value instanceof UclObject entries)) {
                problems.error(value.origin(), "\"flag_thresholds\" of " + section.path()
                        + ": expected a section { 101 = 14 }, but found " + value.kind());
                continue;
            }
            entries.present().forEach((flag, numbers) -> {
                UclValue number = numbers.getLast();
                if (!FLAG.matcher(flag).matches() || Long.parseLong(flag) > MOST_FLAG) {
                    problems.error(number.origin(), "\"flag_thresholds\" of " + section.path()
                            + ": expected a flag from 0 to " + MOST_FLAG + ", but found \"" + flag + "\"");
                } else if (number instanceof UclInteger slots && slots.value() >= FlagThresholds.LEAST
                        && slots.value() <= FlagThresholds.USUAL) {
                    byFlag.put((int) Long.parseLong(flag), (int) slots.value());
                } else {
                    problems.error(number.origin(), "\"flag_thresholds\" of " + section.path() + ": flag " + flag
                            + " needs a number of equal shingles from " + FlagThresholds.LEAST + " to "
                            + FlagThresholds.USUAL);
                }
            });
        }
        return FlagThresholds.of(byFlag);
    }

    static FlagSet flags(Section section, String option) {
        return FlagSet.of(section.integers(option, Integer.MIN_VALUE, (1L << Integer.SIZE) - 1).stream()
                .map(Long::intValue).toList());
    }

    private Limits limits() {
        OptionalDouble rate = section.number("ratelimit_rate", 0, MOST_REQUESTS);
        OptionalDouble burst = section.number("ratelimit_burst", 0, MOST_REQUESTS);
        Networks exempt = networks("ratelimit_whitelist");
        int buckets = (int) section.integer("ratelimit_max_buckets", 1, NetworkLimit.MAX_BUCKETS)
                .orElse(NetworkLimit.DEFAULT_BUCKETS);
        int prefix = (int) section.integer("ratelimit_network_mask", 0, Integer.SIZE)
                .orElse(NetworkLimit.DEFAULT_PREFIX);
        Duration ttl = section.seconds("ratelimit_bucket_ttl", Duration.ofMillis(1), Duration.ofDays(3_650))
                .orElse(NetworkLimit.DEFAULT_TTL);
        boolean logOnly = section.bool("ratelimit_log_only").orElse(false);
        boolean set = rate.orElse(0) > 0 && burst.orElse(0) > 0;
        if (!set && (rate.isPresent() || burst.isPresent())) {
            problems.warning(section.originOf(rate.isPresent() ? "ratelimit_rate" : "ratelimit_burst"),
                    "the rate limit is off: set both ratelimit_rate and ratelimit_burst to a number above 0");
        }
        return new Limits(set
                ? new NetworkLimit(new RateLimit(burst.getAsDouble(), rate.getAsDouble()), exempt, buckets, prefix, ttl)
                : null, logOnly);
    }
}
