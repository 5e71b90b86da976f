package dev.weir.storage.settings;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import dev.weir.config.map.MapFile;
import dev.weir.config.map.MapSource;
import dev.weir.config.map.NetworkList;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.Origin;
import dev.weir.config.source.SourceFiles;
import dev.weir.model.Network;
import dev.weir.net.HostPort;

/**
 * Reader for lists of addresses and words, inline or in separate files (docs/reference/storage.md#lists). Host names in
 * lists of addresses are resolved.
 */
final class MapReader {
    /** The maximum file size in bytes, about a quarter of a million lines. */
    private static final int MAX_FILE = 8 << 20;

    private final SourceFiles files;
    private final Problems problems;

    MapReader(SourceFiles files, Problems problems) {
        this.files = files;
        this.problems = problems;
    }

    /** Returns the networks of an option; an empty list if the option is absent. */
    List<Network> networks(Section section, String option) {
        List<Network> networks = new ArrayList<>();
        entries(section, option, entry -> add(entry, networks));
        return networks;
    }

    /**
     * Reads the words of an option, one per entry or line.
     *
     * @param wanted the pattern of a valid word
     * @param description a description of a valid word, for the operator
     */
    void words(Section section, String option, Pattern wanted, String description, Consumer<String> target) {
        entries(section, option, entry -> {
            if (wanted.matcher(entry.text()).matches()) {
                target.accept(entry.text());
            } else if (!entry.text().isEmpty()) {
                problems.error(entry.origin(), "\"" + option + "\": expected " + description + ", but found \""
                        + entry.text() + "\"");
            }
        });
    }

    private void entries(Section section, String option, Consumer<MapSource.Entry> target) {
        section.map(option).ifPresent(source -> {
            source.entries().forEach(target);
            source.files().forEach(file -> lines(file, target));
        });
    }

    /** Returns the text of a file, or reports a problem and returns empty if it cannot be read. */
    Optional<String> text(MapSource.Entry file) {
        try {
            return Optional.of(new String(files.read(file.text(), MAX_FILE), StandardCharsets.UTF_8));
        } catch (IOException e) {
            problems.add(MapFile.unreadable(file, e));
            return Optional.empty();
        }
    }

    /** Returns the text of a list; empty, with a problem, if it cannot be read or does not exist yet. */
    Optional<String> list(MapSource.Entry file) {
        return MapFile.read(files, file, MAX_FILE, problems::add);
    }

    private void lines(MapSource.Entry file, Consumer<MapSource.Entry> target) {
        int number = 0;
        for (String line : list(file).orElse("").split("\n", -1)) {
            number++;
            // Text after the first word of a line is a comment, as in all Rspamd maps.
            String entry = line.strip().split("[#\\s]", 2)[0];
            target.accept(new MapSource.Entry(entry, new Origin(file.text(), number, 1)));
        }
    }

    private void add(MapSource.Entry entry, List<Network> target) {
        NetworkList parsed = NetworkList.parse(List.of(entry), problems::add);
        target.addAll(parsed.networks());
        parsed.hosts().forEach(host -> resolve(host, target));
    }

    private void resolve(MapSource.Entry host, List<Network> target) {
        try {
            for (InetAddress address : InetAddress.getAllByName(host.text())) {
                target.add(Network.of(address));
            }
        } catch (UnknownHostException e) {
            problems.error(host.origin(), HostPort.unknown(host.text()));
        }
    }
}
