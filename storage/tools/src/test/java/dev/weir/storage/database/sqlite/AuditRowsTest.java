package dev.weir.storage.database.sqlite;

import java.net.InetAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import dev.weir.model.Network;
import dev.weir.model.Update;
import dev.weir.storage.AuditEntry;
import dev.weir.storage.Samples;
import dev.weir.storage.UpdateBatch;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.trail.TrailFilter;
import dev.weir.storage.trail.TrailFilterBuilder;
import dev.weir.storage.view.AuditQuery;
import dev.weir.wire.key.Base32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class AuditRowsTest {
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("192.0.2.7");
    private static final UpdateSubmitter ALICE = new UpdateSubmitter("203.0.113.9", "password", "alice",
            "one@example.org");

    @TempDir
    Path folder;

    private static Optional<AuditEntry> arrival(long millis, @Nullable UpdateSubmitter submission) {
        return Optional.of(new AuditEntry(millis, ADDRESS, null, submission));
    }

    private void apply(long first, List<Update> updates, List<Optional<AuditEntry>> arrivals) throws Exception {
        try (SqliteDatabase backend = SqliteDatabase.open(folder.resolve("fuzzy.db"))) {
            backend.apply(new UpdateBatch(first, 1, updates, arrivals, OptionalLong.empty()));
        }
    }

    private List<LoggedUpdate> trail(long before, String digest) throws Exception {
        List<LoggedUpdate> trail = new ArrayList<>();
        try (SqliteInspection inspection = SqliteInspection.open(folder.resolve("fuzzy.db"))) {
            inspection.audit(AuditQuery.of(before, digest), trail::add);
            assertThat(inspection.leftovers()).isEmpty();
        }
        return trail;
    }

    @Test
    void keepsWhoChangedAHash() throws Exception {
        apply(1, List.of(Samples.write(1, 3, 10, 100, null), Samples.write(2, 3, 5, 100, null),
                Samples.write(1, 4, -2, 100, null), new Update.Delete(Samples.digest(1), 4)),
                List.of(arrival(5_000, ALICE), arrival(6_000, null), arrival(7_000, null), arrival(8_000, null)));
        List<LoggedUpdate> trail = trail(Long.MAX_VALUE, "");
        assertThat(trail).extracting(LoggedUpdate::revision).containsExactly(1L, 2L, 3L, 4L);
        assertThat(trail.getFirst().millis()).isEqualTo(5_000);
        assertThat(trail.getFirst().origin().address()).isEqualTo(ADDRESS);
        assertThat(trail.getFirst().origin().submission()).isEqualTo(ALICE);
        assertThat(trail.getFirst().update()).isEqualTo(Samples.write(1, 3, 10, 5, null));
        assertThat(trail.get(1).origin().submission()).isNull();
        assertThat(trail.get(3).update()).isEqualTo(new Update.Delete(Samples.digest(1), 4));
        assertThat(trail(3, "")).hasSize(2);
        String digest = Samples.digest(2).toString();
        for (int digits : new int[]{1, 7, 8, 128}) {
            assertThat(trail(Long.MAX_VALUE, digest.substring(0, digits))).extracting(LoggedUpdate::revision)
                    .contains(2L);
        }
        assertThat(trail(Long.MAX_VALUE, digest)).hasSize(1);
    }

    /** Each condition leaves out what it does not select, and nothing else. */
    @Test
    void searchesByConditions() throws Exception {
        byte[] key = new byte[32];
        Arrays.fill(key, (byte) 0xff);
        InetAddress other = InetAddress.ofLiteral("2001:db8::7");
        apply(1, List.of(Samples.write(1, 3, 10, 100, null), Samples.write(2, 3, 5, 100, null),
                Samples.write(3, 3, 5, 100, null), Samples.write(1, 3, 5, 100, null)),
                List.of(arrival(5_000, ALICE), Optional.of(new AuditEntry(6_000, other, key, null)),
                        arrival(7_000, null), arrival(8_000, null)));
        TrailFilter all = TrailFilter.ALL;
        Map<TrailFilter, List<Long>> selections = Map.of(
                all, List.of(1L, 2L, 3L, 4L),
                TrailFilterBuilder.all().after(1).upTo(3).build(), List.of(2L, 3L),
                TrailFilterBuilder.all().times(6_000, 8_000).build(), List.of(2L, 3L),
                TrailFilterBuilder.all().user("alice").build(), List.of(1L),
                TrailFilter.ofMail("one@example.org"), List.of(1L),
                TrailFilter.ofMail("two@example.org"), List.of(),
                TrailFilterBuilder.all().key(Base32.encode(key, 0, 8)).build(), List.of(2L),
                TrailFilterBuilder.all().key("y".repeat(8)).build(), List.of(),
                // The client of the mail may be in any network.
                TrailFilterBuilder.all().from(Network.of("192.0.2.0/24")).build(), List.of(1L, 3L, 4L),
                TrailFilterBuilder.all().from(Network.of("2001:db8::/32")).build(), List.of(1L, 2L));
        for (Map.Entry<TrailFilter, List<Long>> selection : selections.entrySet()) {
            try (SqliteInspection inspection = SqliteInspection.open(folder.resolve("fuzzy.db"))) {
                List<Long> found = new ArrayList<>();
                inspection.audit(selection.getKey().query(Long.MAX_VALUE), logged -> found.add(logged.revision()));
                assertThat(found).as(selection.getKey().toString()).isEqualTo(selection.getValue());
            }
        }
    }

    @Test
    void searchesByWholeDigests() throws Exception {
        apply(1, List.of(Samples.write(1, 3, 10, 100, null), Samples.write(2, 3, 5, 100, null),
                Samples.write(3, 3, 5, 100, null), Samples.write(1, 3, 5, 100, null)),
                Collections.nCopies(4, arrival(5_000, ALICE)));
        List<Long> found = new ArrayList<>();
        try (SqliteInspection inspection = SqliteInspection.open(folder.resolve("fuzzy.db"))) {
            inspection.audit(4, Set.of(Samples.digest(1), Samples.digest(3), Samples.digest(9)),
                    logged -> found.add(logged.revision()));
        }
        assertThat(found).containsExactlyInAnyOrder(1L, 3L);
    }

    @Test
    void deletesTheTrailWithItsHash() throws Exception {
        apply(1, List.of(Samples.write(1, 3, 10, 100, null), Samples.write(2, 3, 10, 100, null),
                Samples.write(3, 3, 10, 100, null)),
                Collections.nCopies(3, arrival(5_000, ALICE)));
        apply(4, List.of(new Update.Delete(Samples.digest(1), 3), new Update.DeleteAll(Samples.digest(2)),
                new Update.Expire(Samples.digest(3), 3, 1_000)),
                List.of(arrival(6_000, ALICE), arrival(6_000, ALICE), Optional.empty()));
        assertThat(trail(Long.MAX_VALUE, "")).isEmpty();
    }

    @Test
    void keepsTheLatestChangesOfABusyHash() throws Exception {
        List<Update> updates = Collections.nCopies(200, Samples.write(1, 3, 1, 100, null));
        apply(1, updates, Collections.nCopies(200, arrival(5_000, null)));
        assertThat(trail(Long.MAX_VALUE, "")).hasSize(64).extracting(LoggedUpdate::revision)
                .startsWith(137L).endsWith(200L);
    }

    @Test
    void ignoresAHashThatRspamdPutUnderTheSameId() throws Exception {
        apply(1, List.of(Samples.write(1, 3, 10, 100, null)), Collections.nCopies(1, arrival(5_000, ALICE)));
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fuzzy.db"));
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE digests SET digest = CAST(zeroblob(64) AS TEXT)");
        }
        assertThat(trail(Long.MAX_VALUE, "")).isEmpty();
    }
}
