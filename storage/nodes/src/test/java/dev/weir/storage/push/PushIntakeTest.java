package dev.weir.storage.push;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.Trouble;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.LogMark;
import dev.weir.storage.maintenance.Adoption;
import dev.weir.storage.push.PushIntake.Result;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.state.StateFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static dev.weir.storage.push.PushedNode.digest;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/** The side of a slave: the bodies that a genuine slave got, with their outcomes, and interrupted batches. */
class PushIntakeTest {
    private static final PushTransport NOWHERE = (slave, host, body, span) -> {
        throw new AssertionError("nothing is sent");
    };
    private static final Pattern VECTOR = Pattern.compile("\\{\\s*\"name\": \"([^\"]+)\",\\s*\"path\": \"([^\"]+)\","
            + "\\s*\"body_hex\": \"([0-9a-f]*)\",\\s*\"inner_status\": (\\d+)");

    /** The vectors whose bodies are malformed: the genuine slave applies nothing of them either. */
    private static final Set<String> MALFORMED = Set.of("4-byte body", "element too short", "element too long",
            "element length beyond body", "empty body");

    private static final long NOW = System.currentTimeMillis() / 1_000;

    @TempDir
    private Path folder = Path.of("");

    // Read once and never compared.
    @SuppressWarnings("ArrayRecordComponent")
    private record Vector(String name, String source, byte[] body) {}

    private static List<Vector> vectors() throws Exception {
        List<Vector> vectors = new ArrayList<>();
        try (InputStream in = PushIntakeTest.class.getResourceAsStream("bodies.json")) {
            assertThat(in).isNotNull();
            Matcher matcher = VECTOR.matcher(new String(in.readAllBytes(), UTF_8));
            while (matcher.find()) {
                String path = matcher.group(2);
                vectors.add(new Vector(matcher.group(1), path.substring(path.lastIndexOf('/') + 1),
                        HexFormat.of().parseHex(matcher.group(3))));
            }
        }
        return vectors;
    }

    private PushedNode slave(Map<Integer, Integer> flags) throws Exception {
        return PushedNode.started(folder, PushedNode.slave(flags), NOWHERE);
    }

    private static byte[] batch(long revision, PushedUpdates.Element... elements) {
        return new PushedUpdates(revision, List.of(elements)).write();
    }

    private static PushedUpdates.Element add(int digest, int flag, int value) {
        return new PushedUpdates.Element(PushedUpdates.ADD, flag, value, 9, digest(digest), null);
    }

    private static PushedUpdates.Element delete(int digest) {
        return new PushedUpdates.Element(PushedUpdates.DELETE, 1, 0, 9, digest(digest), null);
    }

    /** An update of a batch that no file names could count twice after a crash. */
    @Test
    void nothingOfABatchIsAppliedBeforeItsFileIsWritten() throws Exception {
        try (PushedNode slave = slave(Map.of())) {
            // The file is written under this name first.
            Path blocked = Files.createDirectories(folder.resolve(DataFolder.PUSHED_BATCH + ".new/full"));
            assertThat(slave.take("s", batch(1, add(1, 1, 10))).result()).isEqualTo(Result.FAILED);
            assertThat(slave.flags(digest(1))).isEmpty();
            Files.delete(blocked);
            assertThat(slave.take("s", batch(1, add(1, 1, 10))).result()).isEqualTo(Result.APPLIED);
            assertThat(slave.flags(digest(1))).containsEntry(1, 10L);
        }
    }

    @Test
    void repliesToTheBodiesOfAGenuineSlave() throws Exception {
        List<Vector> vectors = vectors();
        assertThat(vectors).hasSize(15);
        try (PushedNode slave = slave(Map.of())) {
            // The state in which they were captured: the slave has batch 1 of slave1.
            assertThat(slave.take("slave1", batch(1)).result()).isEqualTo(Result.APPLIED);
            for (Vector vector : vectors) {
                Result expected = MALFORMED.contains(vector.name())
                        ? Result.MALFORMED
                        : vector.name().startsWith("equal revision") ? Result.OLDER : Result.APPLIED;
                long before = slave.engine.stats().revision();
                PushIntake.Answer answer = slave.take(vector.source(), vector.body());
                assertThat(answer.result()).as(vector.name()).isEqualTo(expected);
                if (expected != Result.APPLIED) {
                    assertThat(slave.engine.stats().revision()).as(vector.name()).isEqualTo(before);
                } else {
                    PushedUpdates read = PushedUpdates.read(vector.body());
                    assertThat(answer.revision()).as(vector.name()).isEqualTo(read.revision());
                    for (PushedUpdates.Element element : read.elements()) {
                        if (element.command() == PushedUpdates.ADD) {
                            assertThat(slave.flags(element.digest())).as(vector.name()).containsKey(element.flag());
                        } else {
                            assertThat(slave.flags(element.digest())).as(vector.name()).isEmpty();
                        }
                    }
                }
            }
            assertThat(slave.intake().figures().malformed()).isEqualTo(MALFORMED.size());
        }
    }

    @Test
    void aBatchCountsOnceAlsoAfterARestart() throws Exception {
        byte[] first = batch(1, add(1, 1, 5));
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.take("s", first).result()).isEqualTo(Result.APPLIED);
            assertThat(slave.take("s", first)).isEqualTo(PushIntake.Answer.of(Result.OLDER, 1,
                    "it is older than batch 1"));
            // Another source counts for itself.
            assertThat(slave.take("t", first).result()).isEqualTo(Result.APPLIED);
            assertThat(slave.flags(digest(1))).isEqualTo(Map.of(1, 10L));
        }
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.take("s", first).result()).isEqualTo(Result.OLDER);
            assertThat(slave.take("s", batch(7, add(1, 1, 1))).result()).isEqualTo(Result.APPLIED);
            assertThat(slave.intake().figures().gaps()).isEqualTo(1);
            assertThat(slave.take("s", batch(8, add(1, 1, 1))).result()).isEqualTo(Result.APPLIED);
            assertThat(slave.intake().figures().gaps()).as("the warning is given once").isEqualTo(1);
            assertThat(slave.take("s", batch(0xffff_fff0L, add(1, 1, 1))).result()).isEqualTo(Result.APPLIED);
            assertThat(slave.take("s", batch(8, add(1, 1, 1))).result()).isEqualTo(Result.OLDER);
            assertThat(slave.flags(digest(1))).isEqualTo(Map.of(1, 13L));
            assertThat(slave.intake().figures().sources()).isEqualTo(Map.of("s", 0xffff_fff0L, "t", 1L));
        }
    }

    @Test
    void translatesFlagsAndKeepsThoseOfThisStorage() throws Exception {
        try (PushedNode slave = slave(Map.of(1, 10, 2, 20))) {
            slave.write(digest(1), 5, 3);
            slave.take("s", batch(1, add(1, 1, 4), add(1, 2, 6), add(2, 7, 1)));
            assertThat(slave.flags(digest(1))).isEqualTo(Map.of(5, 3L, 10, 4L, 20, 6L));
            assertThat(slave.flags(digest(2))).as("a flag without a translation").isEqualTo(Map.of(7, 1L));
            slave.take("s", batch(2, delete(1)));
            assertThat(slave.flags(digest(1))).isEqualTo(Map.of(5, 3L));
        }
    }

    /** A hash with as many flags beyond 255 as it can have takes no further one. The batch ends all the same. */
    @Test
    void anUpdateThatNoTryCanStoreIsLeftOutAndCounted() throws Exception {
        try (PushedNode slave = slave(Map.of(1, 1_000))) {
            for (int i = 0; i < StoredHash.MAX_ODD_FLAGS; i++) {
                slave.write(digest(1), 2_000 + i, 1);
            }
            assertThat(slave.take("s", batch(1, add(1, 1, 4), add(2, 1, 6))).result()).isEqualTo(Result.APPLIED);
            assertThat(slave.flags(digest(1))).hasSize(StoredHash.MAX_ODD_FLAGS).doesNotContainKey(1_000);
            assertThat(slave.flags(digest(2))).isEqualTo(Map.of(1_000, 6L));
            assertThat(slave.intake().figures().leftOut()).isOne();
            assertThat(slave.take("s", batch(2, add(2, 1, 1))).result()).isEqualTo(Result.APPLIED);
        }
    }

    @Test
    void withoutTranslationsARemovalTakesAllFlags() throws Exception {
        try (PushedNode slave = slave(Map.of())) {
            slave.take("s", batch(1, add(1, 1, 4), add(1, 2, 6)));
            slave.take("s", batch(2, delete(1)));
            assertThat(slave.flags(digest(1))).isEmpty();
        }
    }

    /** Stops after every number of updates of a batch, as a crash would, and starts again. */
    @Test
    void anInterruptedBatchGoesOnWhereItStopped() throws Exception {
        List<PushedUpdates.Element> elements = List.of(add(1, 1, 1), add(1, 1, 1), delete(1), add(1, 1, 4),
                add(2, 1, 7), add(1, 2, 8));
        for (int done = 0; done <= elements.size(); done++) {
            Path place = folder.resolve("after-" + done);
            byte[] body = new PushedUpdates(1, elements).write();
            try (PushedNode slave = PushedNode.open(place, PushedNode.slave(Map.of()), NOWHERE)) {
                PushedBatch batch = new PushedBatch(SourceKey.ofRspamd("s"), 1,
                        LogMark.of(slave.engine.log().tip()), Optional.empty(), PushedNode.MASTER,
                        PushedNode.PAIR.publicKey().bytes(), body);
                batch.write(files(place), slave.engine.storageId());
                for (int i = 0; i < done; i++) {
                    PushedUpdates.Element element = elements.get(i);
                    offer(slave, batch, i, element.command() == PushedUpdates.ADD
                            ? new Update.Write(element.digest(), element.flag(), element.value(), NOW, null)
                            : new Update.DeleteAll(element.digest()));
                }
                // The end of the process, without the end of the batch.
            }
            try (PushedNode slave = PushedNode.started(place, PushedNode.slave(Map.of()), NOWHERE)) {
                assertThat(slave.flags(digest(1))).as("after %s", done).isEqualTo(Map.of(1, 4L, 2, 8L));
                assertThat(slave.flags(digest(2))).as("after %s", done).isEqualTo(Map.of(1, 7L));
                assertThat(slave.take("s", body).result()).isEqualTo(Result.OLDER);
                assertThat(PushedNode.batchFile(place)).doesNotExist();
            }
        }
    }

    /** A removal failed and an addition behind it did not: the removal takes it away, so it is added again. */
    @Test
    void aRemovalThatComesLateDoesNotTakeWhatCameAfterIt() throws Exception {
        byte[] body = batch(1, add(1, 1, 1), delete(1), add(1, 1, 4));
        try (PushedNode slave = PushedNode.open(folder, PushedNode.slave(Map.of()), NOWHERE)) {
            PushedBatch batch = new PushedBatch(SourceKey.ofRspamd("s"), 1,
                    LogMark.of(slave.engine.log().tip()), Optional.empty(), PushedNode.MASTER,
                    PushedNode.PAIR.publicKey().bytes(), body);
            batch.write(files(folder), slave.engine.storageId());
            offer(slave, batch, 0, new Update.Write(digest(1), 1, 1, NOW, null));
            offer(slave, batch, 2, new Update.Write(digest(1), 1, 4, NOW, null));
        }
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.flags(digest(1))).isEqualTo(Map.of(1, 4L));
        }
    }

    /** A batch ended, and its file could not be deleted. The next start applies nothing of it. */
    @Test
    void aBatchThatEndedDoesNotGoOn() throws Exception {
        try (PushedNode slave = slave(Map.of(1, 1_000))) {
            for (int i = 0; i < StoredHash.MAX_ODD_FLAGS; i++) {
                slave.write(digest(1), 2_000 + i, 1);
            }
            byte[] body = batch(1, add(1, 1, 4));
            PushedBatch batch = batch(slave, "s", 1, body);
            assertThat(slave.take("s", body).result()).isEqualTo(Result.APPLIED);
            assertThat(slave.intake().figures().leftOut()).isOne();
            batch.write(files(folder), slave.engine.storageId());
            slave.engine.apply(new Update.Delete(digest(1), 2_000)).join();
        }
        try (PushedNode slave = slave(Map.of(1, 1_000))) {
            assertThat(slave.flags(digest(1))).as("there is room for it now").hasSize(StoredHash.MAX_ODD_FLAGS - 1)
                    .doesNotContainKey(1_000);
            assertThat(PushedNode.batchFile(folder)).doesNotExist();
        }
    }

    /** The log no longer says how far a batch had come. It must neither go on nor keep later ones waiting. */
    @Test
    void anInterruptedBatchThatTheLogNoLongerHasEndsInDoubt() throws Exception {
        EngineConfig forgetful = EngineConfig.of(Duration.ofDays(90), Duration.ofSeconds(1), Acknowledge.DURABLE,
                new LogLimits(4_096, 1 << 20, 0, Duration.ZERO, 0, Duration.ZERO), InstantSource.system());
        byte[] body = batch(2, add(1, 1, 4), add(2, 1, 4));
        try (PushedNode slave = PushedNode.open(folder, PushedNode.slave(Map.of()), NOWHERE, forgetful)) {
            assertThat(slave.take("s", batch(1, add(1, 1, 1))).result()).isEqualTo(Result.APPLIED);
            PushedBatch batch = batch(slave, "s", 2, body);
            batch.write(files(folder), slave.engine.storageId());
            offer(slave, batch, 0, new Update.Write(digest(1), 1, 4, NOW, null));
            for (int i = 0; i < 200; i++) {
                slave.write(digest(100), 1, 1);
            }
            slave.engine.checkpoint().join();
            assertThat(slave.engine.log().has(batch.start().revision() + 1)).isFalse();
        }
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.take("s", body).result()).isEqualTo(Result.OLDER);
            assertThat(slave.take("s", batch(3, add(3, 1, 4))).result()).isEqualTo(Result.APPLIED);
            assertThat(slave.flags(digest(1))).isEqualTo(Map.of(1, 5L));
            assertThat(slave.flags(digest(3))).isEqualTo(Map.of(1, 4L));
            assertThat(slave.intake().figures().gaps()).isOne();
        }
    }

    /** A batch of Rspamd as it is noted before its first update. */
    private static PushedBatch batch(PushedNode slave, String source, long revision, byte[] body) {
        return new PushedBatch(SourceKey.ofRspamd(source), revision, LogMark.of(slave.engine.log().tip()),
                Optional.empty(), PushedNode.MASTER, PushedNode.PAIR.publicKey().bytes(), body);
    }

    private static void offer(PushedNode slave, PushedBatch batch, int element, Update update) {
        java.util.concurrent.CompletableFuture<Void> done = new java.util.concurrent.CompletableFuture<>();
        assertThat(slave.engine.hashes().offer(new QueuedUpdate(update, batch.origin(element, false),
                new QueuedUpdate.Outcome() {
                    @Override
                    public void stored() {
                        done.complete(null);
                    }

                    @Override
                    public void failed() {
                        done.completeExceptionally(new StorageException("failed"));
                    }
                }))).isTrue();
        done.join();
    }

    /** Does what a worker of Rspamd leaves in the table of sources. */
    private void rspamdCounts(String versions) throws Exception {
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + DataFolder.database(folder));
                Statement statement = database.createStatement()) {
            statement.execute("INSERT OR REPLACE INTO sources(name, version, last) VALUES " + versions);
        }
    }

    @Test
    void countsOnFromTheDatabaseOfRspamd() throws Exception {
        new SqliteFile(folder.resolve(DataFolder.DATABASE)).open().close();
        rspamdCounts("('s', 17, 0), ('local', 40, 0)");
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.take("s", batch(17, add(1, 1, 1))).result()).isEqualTo(Result.OLDER);
            assertThat(slave.take("s", batch(18, add(1, 1, 1))).result()).isEqualTo(Result.APPLIED);
        }
        // By now the mirror counts the transactions of this storage.
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.take("s", batch(18, add(1, 1, 1))).result()).isEqualTo(Result.OLDER);
            // A copy of the master's database: its own number is the one before the next batch.
            assertThat(slave.take("copied", batch(41, add(1, 1, 1))).result()).isEqualTo(Result.APPLIED);
            assertThat(slave.intake().figures().gaps()).isZero();
            assertThat(slave.take("other", batch(50, add(1, 1, 1))).result()).isEqualTo(Result.APPLIED);
            assertThat(slave.intake().figures().gaps()).isEqualTo(1);
        }
        rspamdCounts("('s', 30, 0), ('copied', 2, 0), ('local', 90, 0)");
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.take("s", batch(30, add(1, 1, 1))).result()).as("Rspamd came further").isEqualTo(
                    Result.OLDER);
            assertThat(slave.take("copied", batch(41, add(1, 1, 1))).result()).isEqualTo(Result.OLDER);
            assertThat(slave.flags(digest(1))).isEqualTo(Map.of(1, 3L));
        }
    }

    /** Cold synchronization of a slave that ran before: the numbers of its old content count no more. */
    @Test
    void beginsAnewWithACopyOfTheMaster() throws Exception {
        try (PushedNode slave = slave(Map.of())) {
            slave.take("s", batch(50, add(1, 1, 1)));
        }
        new SqliteFile(folder.resolve(DataFolder.DATABASE)).open().close();
        rspamdCounts("('local', 200, 0)");
        new Adoption(folder).run(InstantSource.system());
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.flags(digest(1))).isEmpty();
            assertThat(slave.intake().figures().sources()).isEmpty();
            assertThat(slave.take("s", batch(201, add(1, 1, 1))).result()).isEqualTo(Result.APPLIED);
            assertThat(slave.intake().figures().gaps()).isZero();
        }
    }

    private static StateFiles files(Path folder) {
        return new StateFiles(folder, InstantSource.system());
    }

    private static void flip(Path file, int fromEnd) throws Exception {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - fromEnd] ^= 1;
        Files.write(file, bytes);
    }

    private static BatchSpan span(long from, long to, boolean first) {
        return span(7, from, to, first);
    }

    private static BatchSpan span(long storage, long from, long to, boolean first) {
        return new BatchSpan(new LogPlace(storage, from, from), new LogPlace(storage, to, to), first);
    }

    /** A batch of Weir is taken only where the slave is, whatever its number is. */
    @Test
    void thePlaceOfAMasterOfWeirDecides() throws Exception {
        byte[] body = batch(1, add(1, 1, 5));
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.deliver("s", body, span(10, 20, false))).isEqualTo(
                    new PushTransport.Reply(409, 0, new SlavePlace.Nothing()));
            assertThat(slave.deliver("s", body, span(10, 20, true))).isEqualTo(
                    new PushTransport.Reply(200, 1, new SlavePlace.At(span(20, 20, true).to())));
            assertThat(slave.deliver("s", batch(9, add(1, 1, 5)), span(10, 20, true)).status()).isEqualTo(409);
            assertThat(slave.deliver("s", batch(9, add(1, 1, 5)), span(19, 25, false)).status()).isEqualTo(409);
            assertThat(slave.deliver("s", body, span(20, 25, false))).isEqualTo(
                    new PushTransport.Reply(200, 2, new SlavePlace.At(span(25, 25, true).to())));
            assertThat(slave.flags(digest(1))).isEqualTo(Map.of(1, 10L));
            // A question changes nothing.
            assertThat(slave.deliver("s", batch(0), span(0, 0, false)).place())
                    .isEqualTo(new SlavePlace.At(span(25, 25, true).to()));
            assertThat(slave.push.status().troubles()).hasSize(1);
        }
    }

    @Test
    void damagedFilesAreKeptAsideAndAPlaceInDoubtTakesNothing() throws Exception {
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.deliver("a b/ü", batch(1, add(1, 1, 1)), span(0, 5, true)).status()).isEqualTo(200);
        }
        flip(folder.resolve(DataFolder.PUSHES), 9);
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.push.status().troubles()).extracting(Trouble::reason)
                    .containsExactly("the file pushes is damaged or of another storage");
            assertThat(slave.deliver("a b/ü", batch(2, add(1, 1, 1)), span(5, 6, false)))
                    .isEqualTo(new PushTransport.Reply(409, 1, new SlavePlace.Doubtful()));
            // Nor the first batch, although its answer may have been lost; under another name, a master begins.
            assertThat(slave.deliver("a b/ü", batch(1, add(1, 1, 1)), span(0, 5, true)).status()).isEqualTo(409);
            assertThat(slave.flags(digest(1))).isEqualTo(Map.of(1, 1L));
            assertThat(slave.deliver("c", batch(1, add(2, 1, 1)), span(5, 6, true)).status()).isEqualTo(200);
        }
        assertThat(folder.resolve(DataFolder.ASIDE)).isDirectoryContaining("glob:**/pushes.*");
    }

    /** The log does not tell of which storage a batch was, so a doubt about one master hides no batch of another. */
    @Test
    void aLostFileLeavesADoubtAboutEveryMasterOfTheName() throws Exception {
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.deliver("s", batch(1, add(1, 1, 1)), span(7, 0, 5, true)).status()).isEqualTo(200);
        }
        Files.delete(folder.resolve(DataFolder.PUSHES));
        try (PushedNode slave = slave(Map.of())) {
            // Another storage under the name, and then the first one comes back.
            for (long storage : new long[]{8, 7, 8, 7}) {
                assertThat(slave.deliver("s", batch(1, add(1, 1, 1)), span(storage, 0, 5, true)))
                        .as("storage %s", storage)
                        .isEqualTo(new PushTransport.Reply(409, 1, new SlavePlace.Doubtful()));
            }
            assertThat(slave.flags(digest(1))).isEqualTo(Map.of(1, 1L));
        }
    }

    /** The notes are older than a batch of a second master, which they do not know. */
    @Test
    void anOlderFileLeavesADoubtAboutTheMasterThatItDoesNotKnow() throws Exception {
        byte[] older;
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.deliver("s", batch(1, add(1, 1, 1)), span(7, 0, 5, true)).status()).isEqualTo(200);
            older = Files.readAllBytes(folder.resolve(DataFolder.PUSHES));
            assertThat(slave.deliver("s", batch(1, add(2, 1, 1)), span(8, 0, 3, true)).status()).isEqualTo(200);
        }
        Files.write(folder.resolve(DataFolder.PUSHES), older);
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.deliver("s", batch(1, add(2, 1, 1)), span(8, 0, 3, true)).place())
                    .isEqualTo(new SlavePlace.Doubtful());
            assertThat(slave.flags(digest(2))).isEqualTo(Map.of(1, 1L));
        }
    }

    /** Half of a batch is in the log, and the file that says so is damaged or gone. */
    @Test
    void aLostBatchLeavesADoubt() throws Exception {
        for (boolean damaged : new boolean[]{true, false}) {
            Path place = folder.resolve("damaged-" + damaged);
            try (PushedNode slave = PushedNode.open(place, PushedNode.slave(Map.of()), NOWHERE)) {
                assertThat(slave.deliver("s", batch(1, add(1, 1, 1)), span(0, 5, true)).status()).isEqualTo(200);
                PushedBatch batch = new PushedBatch(new SourceKey("s", 7), 2, LogMark.of(slave.engine.log().tip()),
                        Optional.of(span(9, 9, false).to()), PushedNode.MASTER, PushedNode.PAIR.publicKey().bytes(),
                        batch(2, add(1, 1, 4), add(2, 1, 4)));
                batch.write(files(place), slave.engine.storageId());
                offer(slave, batch, 0, new Update.Write(digest(1), 1, 4, NOW, null));
            }
            if (damaged) {
                flip(PushedNode.batchFile(place), 100);
            } else {
                Files.delete(PushedNode.batchFile(place));
            }
            for (int i = 0; i < 2; i++) {
                try (PushedNode slave = PushedNode.started(place, PushedNode.slave(Map.of()), NOWHERE)) {
                    assertThat(slave.deliver("s", batch(2, add(1, 1, 4), add(2, 1, 4)), span(5, 9, false)).place())
                            .isEqualTo(new SlavePlace.Doubtful());
                    assertThat(slave.flags(digest(1))).isEqualTo(Map.of(1, 5L));
                    assertThat(slave.take("s", batch(2, add(1, 1, 4))).result()).as("by the number").isEqualTo(
                            Result.OLDER);
                }
            }
        }
    }

    @Test
    void readsTheFilesOfAnEarlierVersionOnce() throws Exception {
        long storage;
        try (PushedNode slave = slave(Map.of())) {
            storage = slave.engine.storageId();
        }
        String old = "weir pushes 1\ncopied 4\nsource a+b%2F%C3%BC 17\nslave s " + storage + " 0 3 0\n";
        Path file = folder.resolve(DataFolder.PUSHES);
        Files.writeString(file, old);
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.take("a b/ü", batch(17)).result()).isEqualTo(Result.OLDER);
            // A master that has become this version goes on after the last batch.
            assertThat(slave.deliver("a b/ü", batch(19, add(1, 1, 1)), span(5, 9, false)).status()).isEqualTo(409);
            assertThat(slave.deliver("a b/ü", batch(18, add(1, 1, 1)), span(5, 9, false)).status()).isEqualTo(200);
        }
        assertThat(Files.readString(file)).startsWith("weir-state pushes 1 ");
        Files.writeString(file, old.replace(" 17", " 017"));
        try (PushedNode slave = slave(Map.of())) {
            assertThat(slave.push.status().troubles()).hasSize(1);
            assertThat(slave.take("a b/ü", batch(1, add(1, 1, 1))).result()).isEqualTo(Result.APPLIED);
        }
    }
}
