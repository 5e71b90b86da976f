package dev.weir.bench.speed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The program {@code picture}: draws the rates of all saved runs of {@code wire}. */
@Command(name = "picture", mixinStandardHelpOptions = true,
        description = "Draws what wire has measured so far: answers a second against the number of stored hashes, as "
                + "SVG.")
public final class PictureCommand implements Callable<Integer> {
    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Parameters(paramLabel = "FILE", description = "The chart to write, such as docs/internals/performance.svg.")
    private Path file = Path.of("performance.svg");

    @Override
    public Integer call() throws IOException {
        List<Point> points = Point.read(options.results());
        if (points.isEmpty()) {
            throw new IOException("no results yet; run lab/bench/run wire first");
        }
        Files.writeString(file, Picture.svg(points));
        return 0;
    }
}
