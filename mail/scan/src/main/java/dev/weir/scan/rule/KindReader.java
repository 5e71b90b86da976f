package dev.weir.scan.rule;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.weir.config.map.MapFile;
import dev.weir.config.map.MapSource;
import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.Origin;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.UclString;
import dev.weir.config.ucl.UclValue;
import dev.weir.hash.kind.HashKind;
import dev.weir.hash.table.TextTable;
import dev.weir.scan.score.KindOptions;
import dev.weir.scan.score.RecommendedKinds;
import dev.weir.scan.score.ScoreOptions;

/** The reader of the section {@code kinds} of a rule (docs/integrate/kinds.md#in-a-rule). */
final class KindReader {
    private static final OptionTable KINDS = OptionTable.shipped("fuzzy-kinds");
    private static final OptionTable KIND = OptionTable.shipped("fuzzy-kinds-kind");
    /** The greatest flag that a command of Rspamd can carry (docs/reference/protocol.md#request-layout). */
    private static final int MOST_FLAG = 255;
    private static final double USUAL_WEIGHT = 0.5;
    private static final int USUAL_THRESHOLD = 17;
    private static final int LEAST_THRESHOLD = 8;
    private static final int SHINGLES = 32;
    private static final int MAX_FILE = 4 << 20;

    private final SourceFiles files;
    private final Problems problems;

    KindReader(SourceFiles files, Problems problems) {
        this.files = files;
        this.problems = problems;
    }

    KindOptions read(Section rule, Map<Long, ScoreOptions.Mapping> flags) {
        List<UclValue> values = rule.raw("kinds");
        if (values.size() == 1 && values.getFirst() instanceof UclString word) {
            if (word.text().equals(RecommendedKinds.NAME)) {
                return recommended(rule, word.origin(), flags);
            }
            rule.refuse("kinds", "expected \"" + RecommendedKinds.NAME + "\" or a section { ... }, but found \""
                    + word.text() + "\"");
            return KindOptions.OFF;
        }
        List<Section> sections = rule.sections("kinds", KINDS);
        if (sections.size() > 1) {
            rule.refuse("kinds", "expected one section, but found " + sections.size());
        }
        return sections.isEmpty() ? KindOptions.OFF : options(sections.getFirst(), flags);
    }

    private KindOptions recommended(Section rule, Origin origin, Map<Long, ScoreOptions.Mapping> flags) {
        Map<HashKind, KindOptions.Kind> kinds = RecommendedKinds.all();
        String path = rule.path() + ".kinds";
        warnOfUnknownHosts(path, origin, "; write kinds { recommended = true; trusted_hosts = [...] }");
        refuseSharedFlags(path, origin, kinds, flags);
        return new KindOptions(kinds, 1, Set.of(), shippedBrands());
    }

    private KindOptions options(Section section, Map<Long, ScoreOptions.Mapping> flags) {
        Map<HashKind, KindOptions.Kind> kinds = new EnumMap<>(HashKind.class);
        boolean all = section.bool(RecommendedKinds.NAME).orElse(false);
        if (all) {
            kinds.putAll(RecommendedKinds.all());
        }
        for (HashKind kind : HashKind.beyondRspamd()) {
            int usualThreshold = all ? RecommendedKinds.of(kind).threshold() : USUAL_THRESHOLD;
            for (Section body : section.sections(kind.optionName(), KIND)) {
                KindOptions.Kind options = new KindOptions.Kind(
                        (int) body.integer("flag_offset", 1, MOST_FLAG - 1).orElse(RecommendedKinds.flagOffset(kind)),
                        body.number("weight", 0, 1).orElse(USUAL_WEIGHT),
                        (int) body.integer("threshold", LEAST_THRESHOLD, SHINGLES).orElse(usualThreshold));
                if (body.bool("enabled").orElse(true)) {
                    kinds.put(kind, options);
                } else {
                    kinds.remove(kind);
                }
                body.finish();
            }
        }
        double most = section.number("max_weight", 0, 1).orElse(1);
        Set<String> hosts = section.strings("trusted_hosts").stream()
                .map(host -> host.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
        Set<String> brands = brands(section);
        if (hosts.isEmpty() && !kinds.isEmpty()) {
            warnOfUnknownHosts(section.path(), section.origin(), "");
        }
        section.finish();
        refuseSharedFlags(section.path(), section.origin(), kinds, flags);
        return kinds.isEmpty() ? KindOptions.OFF : new KindOptions(kinds, most, hosts, brands);
    }

    private void warnOfUnknownHosts(String path, Origin origin, String advice) {
        problems.warning(origin, path + " names no trusted_hosts: no host says which senders are "
                + "authenticated, so mails of brands are learned like all others" + advice);
    }

    /** Each kind needs flags of its own: a hash of one kind must not be taken for a vote of another. */
    private void refuseSharedFlags(String path, Origin origin, Map<HashKind, KindOptions.Kind> kinds,
            Map<Long, ScoreOptions.Mapping> flags) {
        Map<Long, String> owners = new HashMap<>();
        flags.forEach((flag, mapping) -> owners.put(flag, mapping.symbol()));
        Map<Long, ScoreOptions.Mapping> sorted = new TreeMap<>(flags);
        kinds.forEach((kind, options) -> sorted.forEach((flag, mapping) -> {
            long own = flag + options.flagOffset();
            String name = kind.optionName() + " of " + mapping.symbol();
            String sum = path + ": flag " + flag + " of " + mapping.symbol() + " and flag_offset "
                    + options.flagOffset() + " of " + kind.optionName() + " make " + own;
            if (own > MOST_FLAG) {
                problems.error(origin, sum + ", but a command carries flags up to " + MOST_FLAG);
            }
            String owner = owners.putIfAbsent(own, name);
            if (owner != null) {
                problems.error(origin, sum + ", which already belongs to " + owner);
            }
        }));
    }

    private Set<String> brands(Section section) {
        Optional<MapSource> source = section.map("brands");
        if (source.isEmpty()) {
            return shippedBrands();
        }
        Set<String> domains = new HashSet<>();
        source.get().entries().forEach(entry -> add(domains, entry.text()));
        for (MapSource.Entry file : source.get().files()) {
            MapFile.read(files, file, MAX_FILE, problems::add)
                    .ifPresent(text -> text.lines().forEach(line -> add(domains, line)));
        }
        return domains;
    }

    private static Set<String> shippedBrands() {
        return TextTable.rows(KindReader.class, "brands.txt", " ").stream().flatMap(Arrays::stream)
                .collect(Collectors.toSet());
    }

    /** Adds the domains of a line; the rest behind a # is a comment. */
    private static void add(Set<String> domains, String line) {
        for (String word : line.split("#", 2)[0].strip().split("\\s+", -1)) {
            if (!word.isEmpty()) {
                domains.add(word.toLowerCase(Locale.ROOT));
            }
        }
    }
}
