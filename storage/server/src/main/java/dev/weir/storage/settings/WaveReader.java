package dev.weir.storage.settings;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.model.Networks;
import dev.weir.storage.waves.WaveSettings;
import org.jspecify.annotations.Nullable;

/** Reader for {@code waves {}} of {@code worker "fuzzy"} (docs/operate/waves.md). */
final class WaveReader {
    static final OptionTable OPTIONS = OptionTable.shipped("waves");
    static final OptionTable LEARN = OptionTable.shipped("waves-learn");

    private static final Pattern DOMAIN = Pattern.compile("[A-Za-z0-9_-]{1,63}(\\.[A-Za-z0-9_-]{1,63}){1,10}");
    private static final long MOST_FLAG = 0xffff_ffffL;
    private static final int MOST_CHECKS = 1_000_000_000;
    private static final int MOST_CLIENTS = 1_000_000;
    private static final int MOST_WEIGHT = 1_000_000;
    private static final int MOST_LEARNS = 10_000;

    private final Section worker;
    private final MapReader maps;
    private final Problems problems;

    WaveReader(Section worker, MapReader maps, Problems problems) {
        this.worker = worker;
        this.maps = maps;
        this.problems = problems;
    }

    /** Reads the section. Returns null if there is none. */
    @Nullable
    WaveSettings read() {
        List<Section> sections = worker.sections("waves", OPTIONS);
        if (sections.isEmpty()) {
            return null;
        }
        if (sections.size() > 1) {
            problems.error(sections.get(1).origin(), "there is a second section waves");
        }
        Section section = sections.getFirst();
        WaveSettings settings = read(section);
        section.finish();
        return settings;
    }

    private WaveSettings read(Section section) {
        Duration keep = section.seconds("keep", WaveSettings.LEAST_KEEP, WaveSettings.MOST_KEEP)
                .orElse(WaveSettings.DEFAULT_KEEP);
        int signatures = (int) section
                .integer("signatures", WaveSettings.LEAST_SIGNATURES, WaveSettings.MOST_SIGNATURES)
                .orElse(WaveSettings.DEFAULT_SIGNATURES);
        OptionalLong flag = section.integer("flag", 0, MOST_FLAG);
        WaveSettings.Size size = size(section, keep);
        Set<String> domains = new LinkedHashSet<>();
        maps.words(section, "exempt_domains", DOMAIN, "a domain such as bank.example",
                domain -> domains.add(domain.toLowerCase(Locale.ROOT)));
        WaveSettings.Exclusions exclusions = new WaveSettings.Exclusions(
                AccessSettings.flags(section, "wanted_flags"),
                Networks.perFamily(maps.networks(section, "exempt_networks")), domains);
        Optional<WaveSettings.Answer> answer = flag.isPresent()
                ? Optional.of(new WaveSettings.Answer((int) flag.getAsLong(), size))
                : Optional.empty();
        if (answer.filter(given -> exclusions.wantedFlags().contains(given.flag())).isPresent()) {
            section.refuse("flag", "it is one of wanted_flags");
        }
        return new WaveSettings(new WaveSettings.Table(signatures, keep), answer, learn(section, keep, exclusions),
                exclusions);
    }

    private static WaveSettings.Size size(Section section, Duration keep) {
        int checks = (int) section.integer("min_checks", 2, MOST_CHECKS).orElse(2);
        int clients = (int) section.integer("min_clients", 1, MOST_CLIENTS).orElse(1);
        Duration window = section.seconds("window", Duration.ofMinutes(1), WaveSettings.MOST_KEEP).orElseThrow();
        if (window.compareTo(keep) > 0) {
            section.refuse("window", "it is longer than keep, the time for which groups are remembered");
        }
        return new WaveSettings.Size(checks, clients, window);
    }

    private Optional<WaveSettings.Learn> learn(Section waves, Duration keep, WaveSettings.Exclusions exclusions) {
        List<Section> sections = waves.sections("learn", LEARN);
        if (sections.isEmpty()) {
            return Optional.empty();
        }
        if (sections.size() > 1) {
            problems.error(sections.get(1).origin(), "there is a second section learn");
        }
        Section section = sections.getFirst();
        OptionalLong flag = section.integer("flag", 0, MOST_FLAG);
        int weight = (int) section.integer("weight", 1, MOST_WEIGHT).orElse(1);
        int most = (int) section.integer("max_per_hour", 1, MOST_LEARNS).orElse(1);
        WaveSettings.Size size = size(section, keep);
        section.finish();
        if (flag.isEmpty()) {
            if (!section.has("flag")) {
                problems.error(section.origin(), section.path() + " needs flag, the flag to learn to");
            }
            return Optional.empty();
        }
        if (exclusions.wantedFlags().contains((int) flag.getAsLong())) {
            section.refuse("flag", "it is one of wanted_flags");
        }
        if (exclusions.wantedFlags().isEmpty()) {
            problems.warning(section.origin(),
                    section.path() + " learns without wanted_flags in waves: newsletters are "
                            + "waves, too, and nothing tells them from spam");
        }
        return Optional.of(new WaveSettings.Learn((int) flag.getAsLong(), weight, size, most));
    }
}
