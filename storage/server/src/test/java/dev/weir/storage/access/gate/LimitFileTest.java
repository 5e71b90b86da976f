package dev.weir.storage.access.gate;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

import dev.weir.model.Network;
import dev.weir.storage.state.StateFile;
import dev.weir.storage.state.StateFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class LimitFileTest {
    private static final long STORAGE = 42;

    @Test
    void onlyTheOwnerCanReadTheFile(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("ratelimits");
        // A leftover from a crash of an earlier version.
        Files.createFile(folder.resolve("ratelimits.new"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
        StateFile limits = new StateFiles(folder, InstantSource.system()).file(LimitFile.FORMAT, STORAGE);
        LimitFile.write(limits, LimitFile.Content.EMPTY);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThat(LimitFile.read(limits)).isEqualTo(LimitFile.Content.EMPTY);
        assertThat(folder).isDirectoryNotContaining(path -> !path.equals(file));
    }

    private static LimitFile.Content content() {
        return new LimitFile.Content(List.of(new LimitFile.NetworkEntry(Network.of("192.0.2.0/24"),
                new NetworkBuckets.Entry(Network.of("192.0.2.0/24").high(), Network.of("192.0.2.0/24").low(), 12.5,
                        1_790_000_000_000L, 1_789_999_990_000L))),
                Map.of());
    }

    @Test
    void aFlippedBitIsReportedAndAllStartWithEmptyBuckets(@TempDir Path folder) throws Exception {
        StateFiles files = new StateFiles(folder, InstantSource.system());
        StateFile limits = files.file(LimitFile.FORMAT, STORAGE);
        LimitFile.write(limits, content());
        assertThat(LimitFile.read(limits)).isEqualTo(content());
        byte[] bytes = Files.readAllBytes(limits.place());
        bytes[bytes.length - 3] ^= 1;
        Files.write(limits.place(), bytes);
        assertThat(LimitFile.read(limits)).isEqualTo(LimitFile.Content.EMPTY);
        assertThat(files.troubles()).hasSize(1);
        assertThat(limits.place()).doesNotExist();
    }

    @Test
    void aFileOfAnEarlierVersionIsReadIfItsChecksumIsRight(@TempDir Path folder) throws Exception {
        String lines = "weir limits 1\nnetwork 192.0.2.0/24 12.5 1790000000000 1789999990000\n";
        CRC32 sum = new CRC32();
        sum.update(lines.getBytes(StandardCharsets.US_ASCII));
        String text = lines + "end 1 " + Long.toHexString(sum.getValue()) + "\n";
        StateFiles files = new StateFiles(folder, InstantSource.system());
        StateFile limits = files.file(LimitFile.FORMAT, STORAGE);
        Files.writeString(limits.place(), text);
        assertThat(LimitFile.read(limits)).isEqualTo(content());
        assertThat(files.troubles()).isEmpty();
        Files.writeString(limits.place(), text.replace("12.5", "13.5"));
        assertThat(LimitFile.read(limits)).isEqualTo(LimitFile.Content.EMPTY);
        assertThat(files.troubles()).hasSize(1);
    }
}
