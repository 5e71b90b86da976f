package dev.weir.bench.speed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code picture}: the rates of all kept runs of {@code wire} against the number of stored hashes. */
@Command(name = "picture", mixinStandardHelpOptions = true,
        description = "Draws what wire has measured so far: answers a second against the number of stored hashes, as "
                + "SVG.")
public final class PictureCommand implements Callable<Integer> {
    @Mixin
    private final SpeedOptions options = new SpeedOptions();

    @Parameters(paramLabel = "FILE", description = "The picture, such as docs/performance.svg.")
    private Path file = Path.of("performance.svg");

    @Override
    public Integer call() throws IOException {
        List<Point> points = Point.read(options.results());
        if (points.isEmpty()) {
            throw new IOException("nothing is measured yet: bench/run wire");
        }
        Files.writeString(file, Picture.svg(points));
        return 0;
    }
}
