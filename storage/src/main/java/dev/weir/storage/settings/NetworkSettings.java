package dev.weir.storage.settings;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.config.map.MapSource;
import dev.weir.config.map.Networks;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.Origin;
import dev.weir.config.source.SourceFiles;
import dev.weir.storage.server.Network;

/** Reads lists of addresses, in place or in files, with the names in them looked up (spec/storage.md section 6). */
final class NetworkSettings {
    /** Bytes of a file of networks: a quarter of a million lines. */
    private static final int MAX_FILE = 8 << 20;

    private final SourceFiles files;
    private final Problems problems;

    NetworkSettings(SourceFiles files, Problems problems) {
        this.files = files;
        this.problems = problems;
    }

    /** The networks of an option; none if it is absent. */
    List<Network> read(Section section, String option) {
        List<Network> networks = new ArrayList<>();
        Optional<MapSource> source = section.map(option);
        if (source.isPresent()) {
            source.get().entries().forEach(entry -> add(entry, networks));
            source.get().files().forEach(file -> addFile(file, networks));
        }
        return networks;
    }

    private void addFile(MapSource.Entry file, List<Network> target) {
        String text;
        try {
            text = new String(files.read(file.text(), MAX_FILE), StandardCharsets.UTF_8);
        } catch (IOException e) {
            problems.error(file.origin(), file.text() + " cannot be read: " + e.getMessage());
            return;
        }
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            // What follows the first word of a line is a comment, as in all of Rspamd's maps.
            String entry = line.strip().split("[#\\s]", 2)[0];
            add(new MapSource.Entry(entry, new Origin(file.text(), number, 1)), target);
        }
    }

    private void add(MapSource.Entry entry, List<Network> target) {
        for (String word : entry.text().split("[,;\\s]+", -1)) {
            if (word.isEmpty()) {
                continue;
            }
            Networks.Parsed parsed = Networks.parse(List.of(new MapSource.Entry(word, entry.origin())), problems::add);
            if (parsed.networks().size() > 0) {
                target.add(Network.parse(word));
            }
            for (MapSource.Entry host : parsed.hosts()) {
                resolve(host, target);
            }
        }
    }

    private void resolve(MapSource.Entry host, List<Network> target) {
        try {
            for (InetAddress address : InetAddress.getAllByName(host.text())) {
                target.add(new Network(address, address.getAddress().length * Byte.SIZE));
            }
        } catch (UnknownHostException e) {
            problems.error(host.origin(), "there is no address for the host name \"" + host.text() + "\"");
        }
    }
}
