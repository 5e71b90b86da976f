package dev.weir.storage.transfer.redis;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import dev.weir.storage.Samples;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashSourceContract;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The content was fetched before, so no Redis is needed. */
class RedisSourceContractTest extends HashSourceContract {
    private static final String PLACE = "redis://127.0.0.1:1/0?prefix=fuzzy";

    @TempDir
    Path folder = Path.of("");

    @BeforeEach
    void fetch() throws Exception {
        List<Spool.Row> rows = LongStream.rangeClosed(1, 10).mapToObj(n -> new Spool.Row(Samples.digest(n), false, 0,
                FieldText.write(Map.of("F", "1", "V", Long.toString(n), "C", "1794000000")))).toList();
        try (Spool spool = Spool.open(folder.resolve("spool"))) {
            spool.add(rows, List.of(),
                    Map.of(RedisFetch.PLACE, RedisPlace.parse(PLACE, null).toString(), RedisFetch.ID, "99",
                            RedisFetch.OTHER, "0", RedisFetch.LONGEST, "1000", "phase", "complete"));
        }
    }

    @Override
    protected HashSource open() throws Exception {
        return RedisSource.open(RedisPlace.parse(PLACE, null), folder.resolve("spool"), false,
                InstantSource.system(), 0);
    }
}
