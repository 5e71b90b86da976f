package dev.weir.storage.database.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class DamageSearchTest {
    @TempDir
    Path folder = Path.of("");

    /** Returns a sound file whose search takes many steps. */
    private Path sound() throws Exception {
        Path file = folder.resolve("sound.db");
        try (Connection connection = Writable.open(file); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL)");
            statement.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
                    + "INSERT INTO t SELECT i, 'row ' || i FROM n");
        }
        return file;
    }

    @Test
    void endsAtTheNextCheckOfItsEnd() throws Exception {
        Path file = sound();
        AtomicInteger looks = new AtomicInteger();
        DamageSearch whole = new DamageSearch(file, () -> looks.incrementAndGet() < 0);
        whole.run();
        assertThat(whole.damage()).isEmpty();
        assertThat(looks.get()).isGreaterThan(20);

        looks.set(0);
        DamageSearch ended = new DamageSearch(file, () -> looks.incrementAndGet() == 3);
        ended.run();
        assertThat(ended.damage()).isEmpty();
        assertThat(looks.get()).isLessThan(10);
    }

    @Test
    void doesNotStartAfterItsEnd() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        DamageSearch search = new DamageSearch(sound(), () -> looks.incrementAndGet() < 0);
        search.end();
        search.run();
        assertThat(looks).hasValue(0);
    }

    @Test
    void treatsAForeignFileAsDamageAndAMissingFileAsSound() throws Exception {
        Path text = folder.resolve("text.db");
        Files.writeString(text, "no database at all, ".repeat(1_000));
        DamageSearch search = new DamageSearch(text);
        search.run();
        assertThat(search.damage()).contains("not an SQLite database");

        DamageSearch missing = new DamageSearch(folder.resolve("missing.db"));
        missing.run();
        assertThat(missing.damage()).isEmpty();
    }
}
