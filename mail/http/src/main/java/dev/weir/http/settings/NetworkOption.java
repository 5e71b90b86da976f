package dev.weir.http.settings;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.config.map.MapFile;
import dev.weir.config.map.MapSource;
import dev.weir.config.map.NetworkList;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.Origin;
import dev.weir.config.source.SourceFiles;
import dev.weir.model.Networks;
import dev.weir.net.HostPort;

/** A reader of networks in an option, in files that it names, and behind host names. */
public final class NetworkOption {
    private static final int MAX_FILE = 8 << 20;

    private final SourceFiles files;
    private final Problems problems;

    private NetworkOption(SourceFiles files, Problems problems) {
        this.files = files;
        this.problems = problems;
    }

    /**
     * Reads an option.
     *
     * @return empty if the option is absent; if it is present but names no network, it contains no address
     */
    public static Optional<Networks> read(Section section, String option, SourceFiles files, Problems problems) {
        return section.has(option)
                ? Optional.of(new NetworkOption(files, problems).networks(section, option))
                : Optional.empty();
    }

    private Networks networks(Section section, String option) {
        Optional<MapSource> source = section.map(option);
        List<MapSource.Entry> entries = new ArrayList<>(source.map(MapSource::entries).orElse(List.of()));
        source.map(MapSource::files).orElse(List.of()).forEach(file -> lines(file, entries));
        NetworkList parsed = NetworkList.parse(entries, problems::add);
        if (parsed.hosts().isEmpty()) {
            return Networks.dualStack(parsed.networks());
        }
        List<MapSource.Entry> resolved = new ArrayList<>();
        for (MapSource.Entry entry : entries) {
            if (!parsed.hosts().contains(entry)) {
                resolved.add(entry);
            }
        }
        parsed.hosts().forEach(host -> resolve(host, resolved));
        return Networks.dualStack(NetworkList.parse(resolved, _ -> {
            // Already reported the first time.
        }).networks());
    }

    private void resolve(MapSource.Entry host, List<MapSource.Entry> target) {
        try {
            for (InetAddress address : InetAddress.getAllByName(host.text())) {
                target.add(new MapSource.Entry(address.getHostAddress().replaceFirst("%.*", ""), host.origin()));
            }
        } catch (UnknownHostException e) {
            problems.error(host.origin(), HostPort.unknown(host.text()));
        }
    }

    private void lines(MapSource.Entry file, List<MapSource.Entry> target) {
        MapFile.read(files, file, MAX_FILE, problems::add).ifPresent(text -> {
            int number = 0;
            for (String line : text.split("\n", -1)) {
                number++;
                String entry = line.strip().split("[#\\s]", 2)[0];
                target.add(new MapSource.Entry(entry, new Origin(file.text(), number, 1)));
            }
        });
    }
}
