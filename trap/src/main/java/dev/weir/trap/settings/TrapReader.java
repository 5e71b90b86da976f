package dev.weir.trap.settings;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import dev.weir.config.Configuration;
import dev.weir.config.map.MapSource;
import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.SourceFiles;
import dev.weir.config.ucl.UclObject;
import dev.weir.http.settings.BindText;
import dev.weir.http.settings.NetworkOption;
import dev.weir.model.Networks;

/** A reader of {@code worker "trap"}. All errors are reported, not only the first. */
public final class TrapReader {
    private static final String NAME = "worker \"trap\"";
    private static final OptionTable OPTIONS = OptionTable.shipped("worker-trap");
    private static final int MAX_FILE = 8 << 20;

    private final Section section;
    private final SourceFiles files;
    private final Problems problems;

    private TrapReader(Section section, SourceFiles files, Problems problems) {
        this.section = section;
        this.files = files;
        this.problems = problems;
    }

    /**
     * Reads the settings of a configuration.
     *
     * @param files the files that lists may name
     * @param problems receives all errors and warnings; after an error, do not use the result
     * @return empty if there is no {@code worker "trap"} or it is disabled
     */
    public static Optional<TrapSettings> read(Configuration configuration, SourceFiles files, Problems problems) {
        List<UclObject> workers = configuration.workers("trap");
        if (workers.isEmpty()) {
            return Optional.empty();
        }
        if (workers.size() > 1) {
            problems.error(workers.get(1).origin(), "a second " + NAME + ": one of them is enough, with several"
                    + " bind_socket");
            return Optional.empty();
        }
        Section section = Section.of(workers.getFirst(), NAME, OPTIONS, problems);
        Optional<TrapSettings> settings = new TrapReader(section, files, problems).read();
        section.finish();
        return settings;
    }

    private Optional<TrapSettings> read() {
        section.string("type");
        boolean enabled = section.bool("enabled").orElse(true)
                && section.integer("count", -1, 1 << 16).orElse(1) > 0;
        TrapSettings settings = TrapSettings.NONE.withDoors(binds("bind_socket"), binds("lmtp_socket"))
                .withFolders(paths("maildir"), paths("mbox"))
                .withTraps(traps())
                .withPolicy(policy())
                .withLimits(limits());
        if (!enabled) {
            return Optional.empty();
        }
        boolean doors = !settings.smtp().isEmpty() || !settings.lmtp().isEmpty();
        if (!doors && settings.maildirs().isEmpty() && settings.mboxes().isEmpty()) {
            problems.error(section.origin(), NAME + " has no source of mail: give bind_socket, lmtp_socket, maildir"
                    + " or mbox");
        }
        if (doors && settings.traps().isEmpty()) {
            problems.error(section.origin(), NAME + " refuses every recipient: addresses names no trap");
        }
        return Optional.of(settings);
    }

    private List<InetSocketAddress> binds(String option) {
        List<InetSocketAddress> binds = new ArrayList<>();
        for (String text : section.strings(option)) {
            try {
                for (SocketAddress address : BindText.parse(text, TrapSettings.DEFAULT_PORT)) {
                    if (address instanceof InetSocketAddress inet) {
                        binds.add(inet);
                    } else {
                        section.refuse(option, "expected a host and a port: traps do not listen on Unix-domain"
                                + " sockets");
                    }
                }
            } catch (IllegalArgumentException e) {
                section.refuse(option, String.valueOf(e.getMessage()));
            }
        }
        return binds;
    }

    private List<Path> paths(String option) {
        List<Path> paths = new ArrayList<>();
        for (String text : section.strings(option)) {
            try {
                paths.add(Path.of(text));
            } catch (InvalidPathException e) {
                section.refuse(option, "\"" + text + "\" is not a path");
            }
        }
        return paths;
    }

    private TrapAddresses traps() {
        Optional<MapSource> source = section.map("addresses");
        List<String> texts = new ArrayList<>();
        for (MapSource.Entry entry : source.map(MapSource::entries).orElse(List.of())) {
            texts.add(entry.text());
        }
        for (MapSource.Entry file : source.map(MapSource::files).orElse(List.of())) {
            try {
                new String(files.read(file.text(), MAX_FILE), StandardCharsets.UTF_8).lines()
                        .map(line -> line.strip().split("[#\\s]", 2)[0])
                        .filter(line -> !line.isEmpty())
                        .forEach(texts::add);
            } catch (IOException e) {
                problems.error(file.origin(), file.text() + " cannot be read: " + e.getMessage());
            }
        }
        try {
            return TrapAddresses.of(texts);
        } catch (IllegalArgumentException e) {
            section.refuse("addresses", String.valueOf(e.getMessage()));
            return TrapAddresses.NONE;
        }
    }

    private TrapPolicy policy() {
        TrapPolicy usual = TrapPolicy.DEFAULT;
        List<Long> ham = section.integers("ham_flags", 1, Integer.MAX_VALUE);
        long flag = section.integer("flag", 1, Integer.MAX_VALUE).orElse(usual.flag());
        List<Long> hamFlags = section.has("ham_flags") ? ham : usual.hamFlags();
        if (hamFlags.contains(flag)) {
            section.refuse("ham_flags", "flag " + flag + " cannot be that of wanted mail and that of traps");
        }
        int weight = whole("weight", 1, 1_000_000, usual.weight());
        int maxWeight = whole("max_weight", 1, 100_000_000, Math.max(usual.maxWeight(), weight));
        if (maxWeight < weight) {
            section.refuse("max_weight", "expected at least the weight for one source, " + weight);
            maxWeight = weight;
        }
        Set<String> domains = new HashSet<>();
        section.strings("own_domains").forEach(domain -> domains.add(domain.toLowerCase(Locale.ROOT)));
        return new TrapPolicy(flag, hamFlags, whole("min_words", 1, 10_000, usual.minWords()),
                whole("min_sources", 1, 1000, usual.minSources()), weight, maxWeight,
                section.bool("images").orElse(usual.images()),
                NetworkOption.read(section, "relays", files, problems).orElse(usual.relays()),
                NetworkOption.read(section, "own_networks", files, problems).orElse(Networks.NONE), domains,
                section.seconds("hold_time", Duration.ofMinutes(1), Duration.ofDays(365)).orElse(usual.hold()),
                whole("max_campaigns", 1, 10_000_000, usual.maxCampaigns()));
    }

    private int whole(String option, int least, int most, int usual) {
        return (int) section.integer(option, least, most).orElse(usual);
    }

    private TrapLimits limits() {
        TrapLimits usual = TrapLimits.DEFAULT;
        return new TrapLimits(whole("max_message", 1024, 50 << 20, usual.mailBytes()),
                whole("max_connections", 1, 100_000, usual.connections()),
                section.seconds("timeout", Duration.ofSeconds(1), Duration.ofHours(1)).orElse(usual.idle()),
                section.seconds("poll", Duration.ofSeconds(1), Duration.ofDays(1)).orElse(usual.poll()));
    }
}
