package dev.weir.storage.transfer.flat;

import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import dev.weir.model.FlagValue;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FlatFileSourceTest {
    static byte[] file() {
        ByteBuffer file = ByteBuffer.allocate(4 + 3 * 96).order(ByteOrder.LITTLE_ENDIAN);
        file.put((byte) 'r').put((byte) 's').put((byte) 'h').put((byte) 1);
        for (int n = 1; n <= 3; n++) {
            file.putInt(n * 10).putInt(n).putLong(1_200_000_000 + n).put(Samples.digest(n).toBytes()).putInt(7)
                    .putInt(0).putInt(0).putInt(0);
        }
        return file.array();
    }

    @Test
    void readsEveryRecord(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("fuzzy"), file());
        Omissions omissions = new Omissions();
        FlatFileSource source = FlatFileSource.open(file);
        assertThat(source.remaining(FlatFileSource.START)).isEqualTo(3);
        assertThat(Moves.all(source, omissions)).containsExactly(
                new StoredHash(Samples.digest(1), List.of(new FlagValue(1, 10, 1_200_000_001)), null),
                new StoredHash(Samples.digest(2), List.of(new FlagValue(2, 20, 1_200_000_002)), null),
                new StoredHash(Samples.digest(3), List.of(new FlagValue(3, 30, 1_200_000_003)), null));
        assertThat(omissions.snapshot()).isEmpty();
    }

    @Test
    void countsARecordThatIsCutOff() throws Exception {
        byte[] bytes = file();
        Omissions omissions = new Omissions();
        assertThat(Moves.all(FlatFileSource.read("x", new ByteArrayInputStream(Arrays.copyOf(bytes, bytes.length - 1)),
                bytes.length, 1), omissions)).hasSize(2);
        assertThat(omissions.snapshot()).isEqualTo(Map.of(Omission.CUT_OFF, 1L));
    }

    @Test
    void rejectsInvalidPlaces() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> FlatFileSource.read("x", new ByteArrayInputStream(new byte[100]), 100, 1))
                .withMessageContaining("rsh");
    }
}
