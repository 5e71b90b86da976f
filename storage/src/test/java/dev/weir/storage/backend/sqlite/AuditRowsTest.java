package dev.weir.storage.backend.sqlite;

import java.net.InetAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.model.Update;
import dev.weir.storage.Arrival;
import dev.weir.storage.Samples;
import dev.weir.storage.Submission;
import dev.weir.storage.UpdateBatch;
import dev.weir.storage.log.LoggedUpdate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class AuditRowsTest {
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("192.0.2.7");
    private static final Submission ALICE = new Submission("203.0.113.9", "password", "alice", "one@example.org");

    @TempDir
    Path folder;

    private static Optional<Arrival> arrival(long millis, @Nullable Submission submission) {
        return Optional.of(new Arrival(millis, ADDRESS, null, submission));
    }

    private void apply(long first, List<Update> updates, List<Optional<Arrival>> arrivals) throws Exception {
        try (SqliteBackend backend = SqliteBackend.open(folder.resolve("fuzzy.db"))) {
            backend.apply(new UpdateBatch(first, 1, updates, arrivals, OptionalLong.empty()));
        }
    }

    private List<LoggedUpdate> trail(long before, String digest) throws Exception {
        List<LoggedUpdate> trail = new ArrayList<>();
        try (SqliteInspection inspection = SqliteInspection.open(folder.resolve("fuzzy.db"))) {
            inspection.audit(before, digest, trail::add);
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
