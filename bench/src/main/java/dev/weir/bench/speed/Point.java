package dev.weir.bench.speed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import tools.jackson.databind.json.JsonMapper;

/**
 * One measured figure, as it is kept in a file for the picture.
 *
 * @param server whose
 * @param load under what
 * @param hashes how many were stored
 * @param perSecond the median of the rounds
 * @param ofEcho the median of the ratios to the echo of the same round
 * @param sent queries of all rounds
 * @param wrong answers of all rounds that were wrong or refused
 * @param missing queries of all rounds without an answer
 * @param idle the median of the generator's idle share: near 0 the generator is the limit
 */
public record Point(String server, String load, long hashes, double perSecond, double ofEcho, long sent, long wrong,
        long missing, double idle) {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String END = ".json";

    /** Keeps points in a file of a folder. */
    public static void keep(Path folder, String name, List<Point> points) throws IOException {
        Files.createDirectories(folder);
        Files.write(folder.resolve(name + END), JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(points));
    }

    /** Returns all points of a folder; of several for the same thing the one from the file whose name sorts last. */
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
