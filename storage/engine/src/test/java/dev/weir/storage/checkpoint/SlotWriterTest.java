package dev.weir.storage.checkpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.Samples;
import dev.weir.storage.log.FolderDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class SlotWriterTest {
    private static final int SLOTS_IN_BUFFER = 4;
    private static final int BUFFERS = 16;
    private static final int BURST = 10 * SLOTS_IN_BUFFER;

    @TempDir
    private Path folder;

    private int next = 1;

    private void burst(SlotWriter writer) {
        for (int i = 0; i < BURST; i++) {
            long[] digest = new long[Digest.WORDS];
            Samples.digest(next).copyTo(digest, 0);
            writer.reserve(1);
            writer.put(next, digest, Samples.signature(next), next);
            next++;
        }
    }

    /** To allocate buffers again and again took a fifth of the time of learning. */
    @Test
    void usesTheBuffersOfABurstAgainUntilTheyAreDropped() throws Exception {
        CheckpointSettings settings = new CheckpointSettings(SLOTS_IN_BUFFER * SlotTable.SIGNED.slotBytes, BUFFERS, 4,
                1 << 20,
                Duration.ofHours(1));
        try (SlotWriter writer = new SlotWriter(FolderDisk.of(folder), StoreFixture.ID, settings)) {
            burst(writer);
            writer.force();
            int after = writer.spareBuffers();
            assertThat(after).isBetween(BURST / SLOTS_IN_BUFFER, BUFFERS);
            burst(writer);
            writer.force();
            assertThat(writer.spareBuffers()).isEqualTo(after);
            writer.trim();
            assertThat(writer.spareBuffers()).isEqualTo(SlotWriter.KEPT);
            burst(writer);
            writer.force();
        }
        ByteBuffer slots = ByteBuffer.wrap(Files.readAllBytes(folder.resolve(SlotTable.SIGNED.file)))
                .order(ByteOrder.LITTLE_ENDIAN);
        for (int id = 1; id < next; id++) {
            int at = (int) SlotTable.SIGNED.position(id);
            assertThat(SlotTable.SIGNED.isSound(slots, at, id, StoreFixture.ID)).as("slot %d", id).isTrue();
            assertThat(SlotTable.SIGNED.shingles(slots, at, new long[Signature.SLOTS]))
                    .isEqualTo(Samples.shingles(id));
        }
    }
}
