package dev.weir.scan.rule;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

import dev.weir.config.map.MapFile;
import dev.weir.config.map.MapSource;
import dev.weir.config.map.TextSet;
import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclValue;
import dev.weir.model.Digest;
import dev.weir.scan.score.Curve;
import dev.weir.scan.score.KindOptions;
import dev.weir.scan.score.ScoreOptions;
import dev.weir.scan.upstream.UpstreamList;
import dev.weir.wire.key.PublicKey;

/** The reader of one rule (docs/reference/scanner.md#rule-options). */
final class RuleReader {
    private static final OptionTable MAPPING = OptionTable.shipped("fuzzy-map");
    private static final OptionTable TCP = OptionTable.shipped("fuzzy-tcp");
    private static final long MAX_FLAG = 0xffff_ffffL;
    /** The greatest flag that a command can carry (docs/reference/protocol.md#request-layout). */
    private static final long MOST_SENT = 255;
    private static final double LARGEST = 1e9;
    private static final int MAX_MAP_FILE = 64 << 20;

    private final RuleDefaults defaults;
    private final SourceFiles files;
    private final Problems problems;

    RuleReader(RuleDefaults defaults, SourceFiles files, Problems problems) {
        this.defaults = defaults;
        this.files = files;
        this.problems = problems;
    }

    /** Returns the rule. Empty if it has no servers; the problems give the reason. */
    Optional<RuleSettings> read(String name, Section section) {
        String symbol = section.string("symbol").orElse(defaults.symbol());
        HashReader hashing = new HashReader(section);
        if (!section.has("algorithm")) {
            problems.warning(section.origin(), section.path()
                    + " names no algorithm and uses siphash, as Rspamd does: it finds no text similar to one that "
                    + "weir learned without a configuration, because that uses mumhash");
        }
        ScoreOptions score = score(section, symbol, hashing);
        warnOfCopies(section, name, score, hashing);
        KindOptions kinds = new KindReader(files, problems).read(section, score.flags());
        Optional<PublicKey> common = key(section, "encryption_key");
        Optional<PublicKey> read = key(section, "read_encryption_key");
        Optional<PublicKey> write = key(section, "write_encryption_key");
        Duration timeout = section.seconds("timeout", RuleDefaults.LEAST_TIMEOUT, RuleDefaults.LONGEST_TIMEOUT)
                .orElse(defaults.timeout());
        int retransmits = (int) section.integer("retransmits", 0, RuleDefaults.MOST_RETRANSMITS)
                .orElse(defaults.retransmits());
        Optional<Duration> hedge = section.seconds("hedge_after", Duration.ofMillis(1), Duration.ofMinutes(1));
        RuleSettings.Mode mode = mode(section);
        TcpOptions tcp = tcp(section);
        // Sharing facts about senders is opt-in: only a rule that sets the option itself shares them.
        boolean share = section.has("no_share") && !section.bool("no_share").orElse(true);
        section.strings("headers");
        Optional<String> condition = section.string("learn_condition");
        Servers servers = servers(section);
        if (servers == null) {
            return Optional.empty();
        }
        return Optional.of(new RuleSettings(name.isEmpty() ? symbol : name, mode, servers.read(), servers.write(),
                read.or(() -> common).or(() -> write), write.or(() -> common).or(() -> read),
                hashing.rule(kinds.kinds().keySet()), score, kinds, share, timeout, retransmits, hedge, tcp, condition,
                section.origin()));
    }

    /** Warns about a rule against phishing, as Rspamd's pages have it: a copied page has the structure of the page. */
    private void warnOfCopies(Section section, String name, ScoreOptions score, HashReader hashing) {
        boolean isMeant = Stream.concat(Stream.of(name), score.flags().values().stream()
                .map(ScoreOptions.Mapping::symbol)).anyMatch(word -> word.toLowerCase(Locale.ROOT).contains("phish"));
        if (isMeant && hashing.leavesOutSides()) {
            problems.warning(section.has("html_shingles") ? section.originOf("html_shingles") : section.origin(),
                    section.path() + " compares the structure of pages but not where they lead, so a page of a brand "
                            + "and a copy of it match alike: set html_similarity = true if the storage is Weir");
        }
    }

    private record Servers(UpstreamList read, UpstreamList write) {}

    private @org.jspecify.annotations.Nullable Servers servers(Section section) {
        List<String> both = section.strings("servers");
        List<String> read = section.strings("read_servers");
        List<String> write = section.strings("write_servers");
        if (!both.isEmpty()) {
            for (String other : List.of("read_servers", "write_servers")) {
                if (section.has(other)) {
                    problems.warning(section.originOf(other),
                            "\"" + other + "\" of " + section.path() + " has no effect together with servers");
                }
            }
            return list(section, "servers", both).map(list -> new Servers(list, list)).orElse(null);
        }
        if (read.isEmpty() && write.isEmpty()) {
            problems.error(section.origin(), section.path()
                    + " names no servers: write servers, or read_servers and write_servers");
            return null;
        }
        Optional<UpstreamList> reading = read.isEmpty() ? Optional.empty() : list(section, "read_servers", read);
        Optional<UpstreamList> writing = write.isEmpty()
                ? Optional.empty()
                : list(section, "write_servers", write);
        return reading.or(() -> writing)
                .map(list -> new Servers(list, writing.orElse(list)))
                .orElse(null);
    }

    private static Optional<UpstreamList> list(Section section, String option, List<String> texts) {
        try {
            return Optional.of(UpstreamList.parse(texts));
        } catch (IllegalArgumentException e) {
            section.refuse(option, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private static Optional<PublicKey> key(Section section, String option) {
        return section.string(option).flatMap(text -> {
            Optional<PublicKey> key = PublicKey.parse(text);
            if (key.isEmpty()) {
                section.refuse(option, "expected a public key, 52 characters of base32");
            }
            return key;
        });
    }

    private static RuleSettings.Mode mode(Section section) {
        boolean readOnly = section.bool("read_only").orElse(false);
        Optional<String> mode = section.choice("mode", List.of("read_only", "write_only", "read_write"));
        return mode.map(word -> RuleSettings.Mode.valueOf(word.toUpperCase(Locale.ROOT)))
                .orElse(readOnly ? RuleSettings.Mode.READ_ONLY : RuleSettings.Mode.READ_WRITE);
    }

    private ScoreOptions score(Section section, String symbol, HashReader hashing) {
        double limit = section.number("hits_limit", -LARGEST, LARGEST).orElse(0);
        Map<Long, ScoreOptions.Mapping> flags = mapping(section, limit);
        if (limit == 0 && flags.values().stream().allMatch(mapping -> mapping.limit() == 0)) {
            problems.warning(section.origin(), section.path() + " names no max_score (hits_limit): every hit scores 0");
        }
        Curve curve = section.choice("score_curve", List.of("4.1", "legacy-1.9", "ramp"))
                .flatMap(Curve::of)
                .orElse(Curve.CURRENT);
        return new ScoreOptions(symbol, limit, flags, section.bool("skip_unknown").orElse(false), skipped(section),
                section.number("weight_threshold", -LARGEST, LARGEST), curve,
                section.number("prob_bias", 0, Math.nextDown(1.0)).orElse(0.5),
                section.number("prob_power", Double.MIN_VALUE, LARGEST).orElse(1.0), hashing.htmlWeight(),
                hashing.otherCta(), hashing.like());
    }

    private Map<Long, ScoreOptions.Mapping> mapping(Section rule, double inherited) {
        Map<Long, ScoreOptions.Mapping> flags = new HashMap<>();
        for (UclValue value : rule.raw("fuzzy_map")) {
            if (!(value instanceof UclObject entries)) {
                problems.error(value.origin(), "\"fuzzy_map\" of " + rule.path()
                        + ": expected a section { SYMBOL { flag = 1 } }, but found " + value.kind());
                continue;
            }
            entries.present().forEach((name, bodies) -> bodies.forEach(body -> {
                if (!(body instanceof UclObject object)) {
                    problems.error(body.origin(), "\"" + name + "\" in fuzzy_map of " + rule.path()
                            + ": expected a section { flag = 1 }, but found " + body.kind());
                    return;
                }
                Section entry = Section.of(object, rule.path() + ".fuzzy_map." + name, MAPPING, problems);
                OptionalLong flag = entry.integer("flag", 1, MAX_FLAG);
                String symbol = entry.string("symbol").orElse(name);
                double limit = entry.number("hits_limit", -LARGEST, LARGEST).orElse(inherited);
                if (!entry.has("flag")) {
                    problems.error(entry.origin(), entry.path() + " needs a flag");
                }
                entry.finish();
                flag.ifPresent(number -> {
                    if (number > MOST_SENT) {
                        problems.warning(entry.originOf("flag"), "\"flag\" of " + entry.path() + " is " + number
                                + ", but commands of Rspamd carry flags up to "
                                + MOST_SENT + ": only a storage of Weir learns such a flag");
                    }
                    ScoreOptions.Mapping earlier = flags.put(number, new ScoreOptions.Mapping(symbol, limit));
                    if (earlier != null) {
                        entry.refuse("flag", "flag " + number + " already belongs to " + earlier.symbol());
                    }
                });
            }));
        }
        return flags;
    }

    private Set<String> skipped(Section section) {
        Optional<MapSource> source = section.map("skip_hashes");
        if (source.isEmpty()) {
            return Set.of();
        }
        TextSet listed = TextSet.of(source.get().entries());
        for (MapSource.Entry file : source.get().files()) {
            Optional<String> text = MapFile.read(files, file, MAX_MAP_FILE, problems::add);
            if (text.isPresent()) {
                listed = listed.with(TextSet.parse(file.text(), text.get(), problems::add));
            }
        }
        Set<String> digests = new HashSet<>();
        for (String text : listed.texts()) {
            if (Digest.parse(text).isPresent()) {
                digests.add(text.toLowerCase(Locale.ROOT));
            } else {
                section.refuse("skip_hashes", "expected digests of 128 hexadecimal digits, but found \""
                        + (text.length() > 80 ? text.substring(0, 80) + "..." : text) + "\"");
            }
        }
        return digests;
    }

    private TcpOptions tcp(Section rule) {
        List<UclValue> values = rule.raw("tcp");
        if (values.isEmpty()) {
            return TcpOptions.OFF;
        }
        Optional<Boolean> on = values.size() == 1 ? rule.truth("tcp", values.getFirst()) : Optional.empty();
        if (on.isPresent()) {
            return on.get() ? with(TcpOptions.Use.ALWAYS) : TcpOptions.OFF;
        }
        if (values.size() != 1 || !(values.getFirst() instanceof UclObject object)) {
            rule.refuse("tcp", "expected true, false or one section { enabled = true }");
            return TcpOptions.OFF;
        }
        Section tcp = Section.of(object, rule.path() + ".tcp", TCP, problems);
        boolean enabled = tcp.bool("enabled").orElse(false);
        boolean auto = tcp.bool("auto").orElse(false);
        TcpOptions options = new TcpOptions(
                enabled ? TcpOptions.Use.ALWAYS : auto ? TcpOptions.Use.AUTO : TcpOptions.Use.NEVER,
                tcp.number("threshold", 0, LARGEST).orElse(1.0),
                tcp.seconds("window", Duration.ofMillis(10), Duration.ofHours(1)).orElse(TcpOptions.OFF.window()),
                tcp.seconds("timeout", Duration.ofMillis(1), Duration.ofMinutes(10))
                        .orElse(TcpOptions.OFF.connectTimeout()),
                tcp.seconds("idle_timeout", Duration.ofMillis(100), Duration.ofDays(1)).orElse(TcpOptions.OFF.idle()),
                tcp.seconds("retry_delay", Duration.ofMillis(1), Duration.ofDays(1))
                        .orElse(TcpOptions.OFF.retryDelay()));
        tcp.finish();
        return options;
    }

    private static TcpOptions with(TcpOptions.Use use) {
        TcpOptions off = TcpOptions.OFF;
        return new TcpOptions(use, off.threshold(), off.window(), off.connectTimeout(), off.idle(), off.retryDelay());
    }
}
