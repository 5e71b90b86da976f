package dev.weir.storage.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.testkit.TestFolders;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests with any updates, checkpoints while updates continue, and ends of the process. Each start must find every hash.
 */
class CheckpointPropertyTest {
    private static final int DIGESTS = 60;
    private static final int PARTIAL = 20;
    private static final int FAMILIES = 3;
    private static final int STEPS = 600;

    @Property(tries = 20, seed = "20260801")
    void eachStartFindsEveryHash(@ForAll long seed) throws IOException, StorageException {
        run(seed);
    }

    @Tag("slow")
    @Property(tries = 120, seed = "20260802")
    void eachOfManyStartsFindsEveryHash(@ForAll long seed) throws IOException, StorageException {
        run(seed);
    }

    private static void run(long seed) throws IOException, StorageException {
        SplittableRandom random = new SplittableRandom(seed);
        Path folder = TestFolders.make("weir-store");
        try (StoreFixture fixture = new StoreFixture(folder, StoreFixture.small())) {
            for (int n = 0; n < PARTIAL; n++) {
                StoredHash hash = new StoredHash(Samples.digest(n), List.of(new FlagValue(1, random.nextInt(20), 5)),
                        Signature.partial(family(random), 0, random.nextInt()));
                fixture.index().load(hash);
                fixture.model().load(hash);
            }
            fixture.checkpoint();
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(40)) {
                    case 0 -> fixture.checkpoint(() -> {
                        for (int i = random.nextInt(30); i > 0; i--) {
                            fixture.apply(update(random));
                        }
                    });
                    case 1 -> {
                        fixture.restart();
                        check(fixture, random);
                    }
                    default -> fixture.apply(update(random));
                }
            }
            fixture.restart();
            check(fixture, random);
            assertThat(fixture.store().damaged()).isZero();
        } finally {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
    }

    private static void check(StoreFixture fixture, SplittableRandom random) {
        fixture.check(DIGESTS);
        for (int i = 0; i < 20; i++) {
            long[] shingles = family(random);
            assertThat(fixture.find(1_000, shingles))
                    .isEqualTo(fixture.model().find(Samples.digest(1_000), shingles, 0));
        }
    }

    private static Update update(SplittableRandom random) {
        int n = random.nextInt(DIGESTS);
        long now = 1_000L + random.nextInt(1_000);
        return switch (random.nextInt(16)) {
            case 0, 1, 2, 3 -> new Update.DeleteAll(Samples.digest(n));
            case 4 -> new Update.Delete(Samples.digest(n), random.nextInt(4));
            case 5 -> new Update.Refresh(Samples.digest(n), now);
            case 6 -> new Update.Expire(Samples.digest(n), random.nextInt(4), now);
            default -> Samples.write(n, random.nextInt(4), random.nextInt(-3, 12), now,
                    random.nextInt(3) == 0
                            ? null
                            : Signature.of(family(random), 0)
                                    .withSides(random.nextBoolean() ? Samples.sides(random.nextInt(9)) : null));
        };
    }

    private static long[] family(SplittableRandom random) {
        return Samples.changed(Samples.shingles(random.nextInt(FAMILIES)), random.nextInt(20), random);
    }
}
