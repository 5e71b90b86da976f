package dev.weir.bench.speed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import tools.jackson.databind.json.JsonMapper;

/**
 * A measured rate, saved in a file for the chart.
 *
 * @param server name of the server
 * @param load name of the load
 * @param hashes number of stored hashes
 * @param perSecond the median of the rounds
 * @param ofEcho the median of the ratios to the echo of the same round
 * @param sent number of queries in all rounds
 * @param wrong number of wrong or refused replies in all rounds
 * @param missing number of queries without a reply in all rounds
 * @param idle the median of the idle share of the generator; near 0, the generator is the limit
 */
public record Point(String server, String load, long hashes, double perSecond, double ofEcho, long sent, long wrong,
        long missing, double idle) {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String END = ".json";

    /** Saves points to a file in a folder. */
    public static void keep(Path folder, String name, List<Point> points) throws IOException {
        Files.createDirectories(folder);
        Files.write(folder.resolve(name + END), JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(points));
    }

    /** Returns all points of a folder; of several for the same case, the one whose file name sorts last. */
    public static List<Point> read(Path folder) throws IOException {
        List<Point> all = new ArrayList<>();
        if (Files.notExists(folder)) {
            return all;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(path -> path.toString().endsWith(END)).sorted().toList()) {
                for (Point point : JSON.readValue(Files.readAllBytes(file), Point[].class)) {
                    all.removeIf(point::isOfTheSame);
                    all.add(point);
                }
            }
        }
        return all;
    }

    private boolean isOfTheSame(Point other) {
        return server.equals(other.server) && load.equals(other.load) && hashes == other.hashes;
    }
}
