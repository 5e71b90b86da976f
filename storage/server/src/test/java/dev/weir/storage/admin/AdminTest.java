package dev.weir.storage.admin;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.weir.config.map.MapAddress;
import dev.weir.model.Digest;
import dev.weir.model.Network;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.Operation;
import dev.weir.storage.admin.RefusedException.Ground;
import dev.weir.storage.brake.MassRemoval;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.trail.TrailFilter;
import dev.weir.storage.undo.UndoPlan;
import dev.weir.storage.undo.UndoRequest;
import dev.weir.storage.undo.UndoStep;
import dev.weir.wire.key.PublicKey;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The decisions and the refusals of an operator's requests on a running storage. */
class AdminTest {
    private static final long SECONDS = 1_800_000_000L;
    private static final InstantSource CLOCK = () -> Instant.ofEpochSecond(SECONDS);
    private static final UpdateSubmitter OPERATOR = new UpdateSubmitter("192.0.2.1", "password", "anna", "");
    private static final Digest DIGEST = Samples.digest(1);

    @TempDir
    private Path folder = Path.of("");

    private StorageServer storage = new StorageServer(StorageConfig.of(folder));

    @BeforeEach
    void start() throws Exception {
        storage = new StorageServer(StorageConfig.of(folder.resolve("data")).withClock(CLOCK)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        storage.start();
    }

    @AfterEach
    void stop() {
        storage.close();
    }

    private void learn(Digest digest, int flag, long weight, String mail) throws Exception {
        CompletableFuture<Boolean> stored = new CompletableFuture<>();
        assertThat(storage.hashes().offer(new QueuedUpdate(
                new Update.Write(digest, flag, weight, SECONDS, Samples.signature(1)),
                new UpdateOrigin(InetAddress.getLoopbackAddress(), 0, flag, null,
                        new UpdateSubmitter("192.0.2.1", "password", "bert", mail)),
                new QueuedUpdate.Outcome() {
                    @Override
                    public void stored() {
                        stored.complete(true);
                    }

                    @Override
                    public void failed() {
                        stored.complete(false);
                    }
                }))).isTrue();
        assertThat(stored.get(60, TimeUnit.SECONDS)).isTrue();
    }

    private static void refuses(Ground ground, String reason, ThrowingCallable request) {
        assertThatExceptionOfType(RefusedException.class).isThrownBy(request).satisfies(refused -> {
            assertThat(refused.reason()).contains(reason);
            assertThat(refused.ground()).isEqualTo(ground);
        });
    }

    @Test
    void aKeyIsAddedChangedAndRemovedInItsFile() throws Exception {
        Path file = Files.writeString(folder.resolve("keys"), "[]");
        List<String> refreshed = new ArrayList<>();
        KeyAdmin keys = new KeyAdmin(storage, new Setup(List::of,
                () -> MapAddress.parse(file.toString()).stream().toList(), () -> List.copyOf(refreshed)));
        assertThat(keys.list()).isEqualTo(new KeyAdmin.Listing(List.of(file), "", List.of()));
        PublicKey key = keys.add(KeyRules.DEFAULT.withName("customer", ""), OPERATOR);
        assertThat(keys.list().keys()).singleElement().satisfies(entry -> {
            assertThat(entry.key().pair().publicKey()).isEqualTo(key);
            assertThat(entry.inForce()).isFalse();
        });
        keys.change(key, KeyRules.DEFAULT.withAllowed(Operation.WRITE), OPERATOR);
        assertThat(keys.list().keys().getFirst().key().rules().allowed()).containsExactly(Operation.WRITE);
        refreshed.add("line 1");
        refuses(Ground.UNAVAILABLE, "not in force: line 1", () -> keys.remove(key, OPERATOR));
        assertThat(keys.list().keys()).isEmpty();
        refuses(Ground.ABSENT, "no file of dynamic keys has this key", () -> keys.remove(key, OPERATOR));
        Files.writeString(file, "{");
        refuses(Ground.UNAVAILABLE, file.toString(), () -> keys.add(KeyRules.DEFAULT, OPERATOR));
        assertThat(keys.list().obstacle()).contains(file.toString());
    }

    @Test
    void theFirstKeyCreatesItsFile() throws Exception {
        Path file = folder.resolve("keys");
        KeyAdmin keys = new KeyAdmin(storage,
                new Setup(List::of, () -> MapAddress.parse(file.toString()).stream().toList(), List::of));
        assertThat(keys.list()).isEqualTo(new KeyAdmin.Listing(List.of(file), "", List.of()));
        PublicKey key = keys.add(KeyRules.DEFAULT, OPERATOR);
        assertThat(keys.list().keys()).extracting(entry -> entry.key().pair().publicKey()).containsExactly(key);
    }

    @Test
    void withoutAFileNoKeyIsAdded() {
        KeyAdmin none = new KeyAdmin(storage, Setup.NONE);
        refuses(Ground.IMPOSSIBLE, "names no file of dynamic keys", none::requireFile);
        KeyAdmin remote = new KeyAdmin(storage, new Setup(List::of,
                () -> MapAddress.parse("http://127.0.0.1/keys").stream().toList(), List::of));
        refuses(Ground.IMPOSSIBLE, "come from a web server", () -> remote.add(KeyRules.DEFAULT, OPERATOR));
    }

    @Test
    void anEntryOfTheSkipListHasAnEndWithinTenYears() throws Exception {
        AccessAdmin access = new AccessAdmin(storage);
        Instant now = CLOCK.instant();
        for (Instant end : List.of(now.minusMillis(1), now.plus(AccessAdmin.LONGEST).plusMillis(1))) {
            refuses(Ground.INVALID, "until must be in the next 3650 days",
                    () -> access.skip(DIGEST, "footer", Optional.of(end), OPERATOR));
        }
        access.skip(DIGEST, "footer", Optional.of(now.plus(AccessAdmin.LONGEST)), OPERATOR);
        access.skip(DIGEST, "footer", Optional.empty(), OPERATOR);
        assertThat(storage.gate().skips().entries()).hasSize(1);
        access.unskip(DIGEST, OPERATOR);
        refuses(Ground.ABSENT, "not on the skip list", () -> access.unskip(DIGEST, OPERATOR));
    }

    @Test
    void onlyARefusedNetworkIsUnblocked() throws Exception {
        AccessAdmin access = new AccessAdmin(storage);
        Network network = Network.of("192.0.2.0/24");
        refuses(Ground.ABSENT, "192.0.2.0/24 is not blocked", () -> access.unblock(network, OPERATOR));
        storage.gate().blocks().block(network, null, 403);
        access.unblock(network, OPERATOR);
        assertThat(storage.gate().refused()).isEmpty();
    }

    @Test
    void theLargestStepsOfAnUndoComeFirst() throws Exception {
        for (int i = 1; i <= 12; i++) {
            learn(Samples.digest(i), 3, i, "x@example.org");
        }
        UndoAdmin undo = new UndoAdmin(storage);
        UndoRequest request = new UndoRequest(TrailFilter.ofMail("x@example.org"), List.of());
        UndoPlan plan = undo.rehearse(request);
        assertThat(undo.largest(plan)).extracting(counted -> counted.step().before())
                .containsExactly(12L, 11L, 10L, 9L, 8L, 7L, 6L, 5L, 4L, 3L);
        assertThat(plan.steps()).hasSize(12).allMatch(UndoStep::removes);
        refuses(Ground.INVALID, "revision is missing", () -> undo.apply(request, OPERATOR));
        assertThat(undo.apply(request.upTo(plan.revision()), OPERATOR).failed()).isZero();
        assertThat(storage.find(DIGEST)).isEmpty();
    }

    @Test
    void aSearchFindsWhatIsStoredAndWhatOnlyTheTrailHas() throws Exception {
        learn(DIGEST, 3, 7, "x@example.org");
        HashSearch search = new HashSearch(storage);
        HashSearch.Found found = search.find("x@example.org", Optional.empty());
        assertThat(found.more()).isFalse();
        HashSearch.KnownHash hash = found.hashes().getFirst();
        assertThat(hash.digest()).isEqualTo(DIGEST);
        assertThat(hash.flags().getFirst().value()).isEqualTo(7);
        assertThat(hash.shingles()).isTrue();
        assertThat(hash.changes()).hasSize(1);
        assertThat(search.find("3:" + DIGEST.hex().substring(0, 10) + ":0.94:txt", Optional.empty()).hashes())
                .isEqualTo(found.hashes());
        new UndoAdmin(storage).apply(new UndoRequest(TrailFilter.ALL, List.of(DIGEST)), OPERATOR);
        HashSearch.KnownHash gone = search.find(DIGEST.hex(), Optional.empty()).hashes().getFirst();
        assertThat(gone.flags()).isEmpty();
        assertThat(gone.changes().getFirst().revision()).isGreaterThan(gone.changes().getLast().revision());
        refuses(Ground.INVALID, "32 times 16", () -> search.find(DIGEST.hex(), Optional.of("12")));
    }

    @Test
    void aNodeWithoutOthersIsNeitherPromotedNorFollows() {
        NodeAdmin node = new NodeAdmin(storage);
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> node.promote(true))
                .withMessageContaining("leads itself");
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> node.follow(true))
                .withMessageContaining("follows no other one");
    }

    @Test
    void aConfirmationNamesTheRemovalThatWaits() throws Exception {
        NodeAdmin node = new NodeAdmin(storage);
        MassRemoval removal = new MassRemoval("copy", "leader 1", "the leader lacks them", 2_000, 3_000);
        assertThat(storage.brake().mayRemove(removal)).isFalse();
        String id = storage.brake().waiting().getFirst().id();
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> node.confirm("copy-1"))
                .withMessageContaining("no removal waits under the name \"copy-1\"");
        assertThat(node.confirm(id).removal()).isEqualTo(removal);
        assertThat(storage.brake().mayRemove(removal)).isTrue();
    }
}
