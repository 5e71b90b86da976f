package dev.weir.storage.engine;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.weir.model.failure.Reason;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.mirror.MirrorFeeder;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.transfer.carry.CarryOver;
import org.slf4j.LoggerFactory;

/** A process of {@link MirrorFilesTest}: a storage whose process may open no more files for a while. */
final class MirrorWithoutFiles {
    private MirrorWithoutFiles() {}

    /** Takes the data folder. Prints each step, and the failure of the mirror. */
    public static void main(String[] arguments) throws Exception {
        Path data = Path.of(arguments[0]);
        EngineConfig config = EngineConfig.of(Duration.ZERO, Duration.ofHours(1), Acknowledge.DURABLE,
                LogLimits.DEFAULT, InstantSource.system());
        try (StorageEngine engine = StorageEngine.start(config,
                CarryOver.open(data, Optional.of(data.resolve("fuzzy.db")), StartProgress.NONE))) {
            learn(engine, 0);
            engine.sync().get(30, TimeUnit.SECONDS);
            loadClasses();
            List<FileInputStream> all = new ArrayList<>();
            try {
                while (true) {
                    all.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException e) {
                System.out.println("no more files: " + e.getMessage());
            }
            learn(engine, 1);
            learn(engine, 0);
            try {
                engine.attached(MirrorFeeder.class).orElseThrow().sync().get(30, TimeUnit.SECONDS);
                System.out.println("the mirror needed no file");
            } catch (ExecutionException e) {
                System.out.println("failed: " + Objects.requireNonNull(e.getCause()).getMessage());
            }
            for (FileInputStream open : all) {
                open.close();
            }
            for (int i = 0; i < 20 && engine.stats().unmirrored().orElseThrow() > 0; i++) {
                try {
                    engine.attached(MirrorFeeder.class).orElseThrow().sync().get(30, TimeUnit.SECONDS);
                } catch (ExecutionException e) {
                    System.out.println("still: " + Objects.requireNonNull(e.getCause()).getMessage());
                    Thread.sleep(100);
                }
            }
            System.out.println("behind by " + engine.stats().unmirrored().orElseThrow() + ", trouble: "
                    + engine.stats().mirrorFailure());
        }
    }

    /** A program loads its classes from archives, which are open; those of a test are files. */
    private static void loadClasses() throws Exception {
        var _ = Reason.of(new StorageException("a failure", new IOException("a cause")));
        LoggerFactory.getLogger(MirrorWithoutFiles.class).error("loads the classes of the log",
                new StorageException("loaded", new IOException("loaded")));
        Path classes = Path.of(MirrorFeeder.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.isDirectory(classes) ? Files.walk(classes) : Stream.empty()) {
            for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
                String name = classes.relativize(file).toString().replace('/', '.');
                if (name.startsWith("dev.weir.storage") && !name.contains("-info")) {
                    Class.forName(name.substring(0, name.length() - ".class".length()));
                }
            }
        }
    }

    private static void learn(StorageEngine engine, int round) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int n = 0; n < 3_000; n++) {
            int hash = 3_000 * round + n;
            all.add(engine.apply(Samples.write(hash, 1 + hash % 3, n + 1, 1_700_000_000, Samples.signature(hash))));
        }
        all.forEach(CompletableFuture::join);
    }
}
