package dev.weir.storage.log;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import dev.weir.storage.StorageException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class LogReaderTest {
    private final LogFixture fixture = new LogFixture();

    @Test
    void readsSyncedUpdatesWhileMoreAreWritten() throws Exception {
        try (UpdateLog log = fixture.open(0); LogReader reader = log.reader(1)) {
            List<LoggedUpdate> read = new ArrayList<>();
            assertThat(reader.read(10)).isEmpty();
            for (int n = 1; n <= 25; n++) {
                fixture.add(log, n);
                if (n % 3 == 0) {
                    read.addAll(reader.read(2));
                    assertThat(read).hasSizeLessThan(n);
                }
                log.force();
            }
            read.addAll(reader.read(100));
            assertThat(read).isEqualTo(fixture.updates(1, 25));
            assertThat(reader.next()).isEqualTo(26);
        }
    }

    @Test
    void doesNotReadRefusedUpdates() throws Exception {
        try (UpdateLog log = fixture.open(0); LogReader reader = log.reader(1)) {
            fixture.write(log, 3, 1);
            assertThat(reader.read(10)).hasSize(3);
            fixture.add(log, 4);
            fixture.disk.dropNextForce();
            assertThatExceptionOfType(StorageException.class).isThrownBy(log::force);
            log.discard();
            assertThat(reader.read(10)).isEmpty();
            log.add(UpdateOrigin.STORAGE, fixture.update(10).update());
            log.force();
            assertThat(reader.read(10)).extracting(LoggedUpdate::update).containsExactly(fixture.update(10).update());
        }
    }

    @Test
    void losesNothingWhenReadsFail() throws Exception {
        try (UpdateLog log = fixture.open(0); LogReader reader = log.reader(1)) {
            fixture.write(log, 25, 4);
            List<LoggedUpdate> read = new ArrayList<>();
            int failures = 0;
            fixture.faults.rate(0.6);
            while (read.size() < 25) {
                try {
                    read.addAll(reader.read(2));
                } catch (StorageException e) {
                    failures++;
                }
            }
            fixture.faults.rate(0);
            assertThat(failures).isPositive();
            assertThat(read).isEqualTo(fixture.updates(1, 25));
        }
    }

    @Test
    void returnsSoundUpdatesBeforeItNamesTheDamage() throws Exception {
        try (UpdateLog log = fixture.open(0); LogReader reader = log.reader(1)) {
            fixture.write(log, 6, 1);
            int third = Segment.HEADER + fixture.bytesUpTo(2);
            String name = Segment.of(1).name();
            fixture.disk.flip(name, third + 20, 1);
            assertThat(reader.read(10)).isEqualTo(fixture.updates(1, 2));
            for (int again = 0; again < 2; again++) {
                assertThatExceptionOfType(LogDamagedException.class).isThrownBy(() -> reader.read(10))
                        .satisfies(e -> assertThat(e.damages()).containsExactly(new LogDamage(name, third, 3, 3)));
            }
            fixture.disk.flip(name, third + 20, 1);
            assertThat(reader.read(10)).isEqualTo(fixture.updates(3, 6));
        }
    }

    /** A reader is told to begin elsewhere. The alternative is that it waits for good. */
    @Test
    void aDamageOfWhatTheStoreHasLosesNothing() throws Exception {
        try (UpdateLog log = fixture.open(0); LogReader reader = log.reader(1)) {
            fixture.write(log, 6, 1);
            int third = Segment.HEADER + fixture.bytesUpTo(2);
            fixture.disk.flip(Segment.of(1).name(), third + 20, 1);
            log.store().moveTo(3);
            assertThat(reader.read(10)).isEqualTo(fixture.updates(1, 2));
            assertThatExceptionOfType(LogReleasedException.class).isThrownBy(() -> reader.read(10))
                    .withMessageContaining("cannot read the update 3, which the store has: ")
                    .withMessageContaining("byte " + third);
            assertThat(log.checksumAt(1)).isPresent();
            assertThat(log.checksumAt(4)).isEmpty();
        }
    }

    /** The log deletes what the store has. This is no damage. */
    @Test
    void distinguishesDeletedUpdatesFromDamage() throws Exception {
        try (UpdateLog log = fixture.open(fixture.disk, LogFixture.SMALL_AND_OLD, 0);
                LogReader reader = log.reader(1)) {
            fixture.write(log, 25, 5);
            LogFixture.release(log, 25);
            assertThat(log.has(1)).isFalse();
            assertThatExceptionOfType(LogReleasedException.class).isThrownBy(() -> reader.read(10))
                    .withMessageContaining("update 1,");
        }
    }

    /** The file of a segment goes before its entry, and a reader may look in between. */
    @Test
    void aSegmentThatIsBeingDeletedIsNoDamage() throws Exception {
        AtomicReference<Runnable> afterDeletion = new AtomicReference<>(() -> {});
        Disk disk = (Disk) Proxy.newProxyInstance(Disk.class.getClassLoader(), new Class<?>[]{Disk.class},
                (_, method, arguments) -> {
                    try {
                        Object result = method.invoke(fixture.disk, arguments);
                        if (method.getName().equals("delete")) {
                            afterDeletion.getAndSet(() -> {}).run();
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        try (UpdateLog log = fixture.open(disk, LogFixture.SMALL_AND_OLD, 0); LogReader reader = log.reader(1)) {
            fixture.write(log, 25, 5);
            FutureTask<List<LoggedUpdate>> read = new FutureTask<>(() -> reader.read(10));
            afterDeletion.set(() -> {
                Thread reading = Thread.ofPlatform().start(read);
                await("the reader waits or ends")
                        .until(() -> reading.getState() == Thread.State.BLOCKED || !reading.isAlive());
            });
            LogFixture.release(log, 25);
            assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> read.get(30, TimeUnit.SECONDS))
                    .withCauseInstanceOf(LogReleasedException.class);
        }
    }
}
