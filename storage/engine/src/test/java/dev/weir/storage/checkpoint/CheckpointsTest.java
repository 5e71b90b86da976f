package dev.weir.storage.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CheckpointsTest {
    private static final int HASHES = 30;

    /** Bytes of a slot with a signature. */
    private static final int SLOT = 336;

    @TempDir
    private Path folder;

    /** Hashes with the digests 0 to 29, each third without a signature, in a checkpoint. */
    private StoreFixture filled() throws IOException, StorageException {
        StoreFixture fixture = new StoreFixture(folder, StoreFixture.small());
        for (int n = 0; n < HASHES; n++) {
            fixture.apply(Samples.write(n, 1 + n % 3, 10 + n, 1_000 + n, n % 3 == 0 ? null : Samples.signature(n)));
        }
        fixture.apply(Samples.write(4, 9, 1, 2_000, null));
        fixture.checkpoint();
        return fixture;
    }

    private static void flip(Path file, long position, int bits) throws IOException {
        byte[] content = Files.readAllBytes(file);
        content[(int) position] ^= (byte) bits;
        Files.write(file, content);
    }

    @Test
    void aSlotHasTheDocumentedLayout() throws Exception {
        try (StoreFixture fixture = filled()) {
            // The first hash with a signature.
            ByteBuffer slot = ByteBuffer.wrap(Files.readAllBytes(fixture.file("signed.slots")), SLOT, SLOT).slice()
                    .order(ByteOrder.LITTLE_ENDIAN);
            byte[] digest = new byte[Digest.BYTES];
            slot.get(digest);
            assertThat(Digest.of(digest)).isEqualTo(Samples.digest(1));
            for (int i = 0; i < Signature.SLOTS; i++) {
                assertThat(slot.getLong()).isEqualTo(Samples.shingles(1)[i]);
            }
            assertThat(slot.getLong()).as("revision").isEqualTo(2);
            assertThat(slot.getInt()).as("mask").isEqualTo(-1);
            CRC32C crc = new CRC32C();
            crc.update(ByteBuffer.allocate(13).order(ByteOrder.LITTLE_ENDIAN).putLong(StoreFixture.ID).put((byte) 1)
                    .putInt(1).flip());
            crc.update(slot.duplicate().limit(332).position(0));
            assertThat(slot.getInt()).as("CRC").isEqualTo((int) crc.getValue());
            assertThat(slot.hasRemaining()).isFalse();
            assertThat(Files.size(fixture.file("plain.slots"))).isEqualTo(76 * (1 + HASHES / 3));
        }
    }

    /** Behind the records and flags of its page: the place in the page, then the three hashes. */
    @Test
    void theImageHasTheSideHashes() throws Exception {
        try (StoreFixture fixture = new StoreFixture(folder, StoreFixture.small())) {
            for (int n = 0; n < 4; n++) {
                Signature signature = Samples.signature(n);
                fixture.apply(Samples.write(n, 1, 1, 1, n == 2 ? signature.withSides(Samples.sides(n)) : signature));
            }
            fixture.checkpoint();
            ByteBuffer sides = ByteBuffer.wrap(Files.readAllBytes(fixture.image())).order(ByteOrder.LITTLE_ENDIAN)
                    .position(ImagePage.HEADER + 4 * 12);
            assertThat(sides.getInt()).isEqualTo(2);
            assertThat(sides.getLong()).isEqualTo(Samples.sides(2).ctaDomains());
            assertThat(sides.getLong()).isEqualTo(Samples.sides(2).allDomains());
            assertThat(sides.getLong()).isEqualTo(Samples.sides(2).features());
            assertThat(sides.hasRemaining()).isFalse();
            fixture.apply(new Update.DeleteAll(Samples.digest(2)));
            fixture.checkpoint();
            assertThat(Files.size(fixture.image())).as("without those of a removed hash")
                    .isEqualTo(ImagePage.HEADER + 4 * 12);
            fixture.apply(Samples.write(5, 1, 1, 1, Samples.signature(5)));
            fixture.restart();
            fixture.check(6);
        }
    }

    @Test
    void signaturesOfSingleHashesAreReadFromTheirSlots() throws Exception {
        try (StoreFixture fixture = filled()) {
            // Its slot is in no file yet.
            fixture.apply(Samples.write(40, 1, 1, 1, Samples.signature(40).withSides(Samples.sides(40))));
            fixture.apply(new Update.DeleteAll(Samples.digest(5)));
            Set<Digest> digests = Set.of(Samples.digest(1), Samples.digest(3), Samples.digest(5), Samples.digest(40),
                    Samples.digest(41));
            assertThat(fixture.store().signatures(digests))
                    .as("of a plain, a removed and an unknown hash there is none")
                    .containsOnly(Map.entry(Samples.digest(1), Samples.signature(1)),
                            Map.entry(Samples.digest(40), Samples.signature(40).withSides(Samples.sides(40))));
            flip(fixture.file("signed.slots"), SLOT + 70, 1);
            assertThat(fixture.store().signatures(digests)).as("a damaged slot has none")
                    .containsOnlyKeys(Samples.digest(40));
        }
    }

    /** Whatever bit of it changes. */
    @Test
    void aDamagedSlotCostsOneHashAndIsNamed() throws Exception {
        try (StoreFixture fixture = filled()) {
            byte[] sound = Files.readAllBytes(fixture.file("signed.slots"));
            for (int position = SLOT; position < 2 * SLOT; position++) {
                flip(fixture.file("signed.slots"), position, 1 << position % 8);
                fixture.restart();
                assertThat(fixture.find(1, null)).as("byte %d", position).isEmpty();
                assertThat(fixture.find(2, null)).isPresent();
                assertThat(fixture.index().size()).isEqualTo(HASHES - 1);
                assertThat(fixture.store().damaged()).isOne();
                assertThat(fixture.store().damage()).contains("signed.slots is damaged at byte " + SLOT, "flag=2",
                        "value=11");
                Files.write(fixture.file("signed.slots"), sound);
            }
            fixture.restart();
            fixture.check(HASHES);
        }
    }

    /** The id of a damaged slot is still named by the manifest. */
    @Test
    void aDamagedSlotIsNotUsedBeforeTheNextCheckpoint() throws Exception {
        try (StoreFixture fixture = filled()) {
            flip(fixture.file("signed.slots"), SLOT, 1);
            fixture.restart();
            fixture.apply(Samples.write(100, 1, 1, 1, Samples.signature(100)));
            fixture.store().forceSlots();
            byte[] slots = Files.readAllBytes(fixture.file("signed.slots"));
            byte[] digest = Arrays.copyOfRange(slots, SLOT, SLOT + Digest.BYTES);
            digest[0] ^= 1;
            assertThat(Digest.of(digest)).isEqualTo(Samples.digest(1));
            fixture.checkpoint();
            fixture.apply(Samples.write(101, 1, 1, 1, Samples.signature(101)));
            fixture.store().forceSlots();
            slots = Files.readAllBytes(fixture.file("signed.slots"));
            assertThat(Digest.read(slots, SLOT)).isEqualTo(Samples.digest(101));
        }
    }

    /** A start reads slots in batches. */
    @Test
    void namesADamagedSlotOfALaterBatch() throws Exception {
        int hashes = 3 * CheckpointLoader.AT_ONCE;
        int id = 2 * CheckpointLoader.AT_ONCE + 7;
        try (StoreFixture fixture = new StoreFixture(folder, StoreFixture.small())) {
            for (int n = 1; n <= hashes; n++) {
                fixture.apply(Samples.write(n, 1, 10, 1_000, Samples.signature(n)));
            }
            fixture.checkpoint();
            flip(fixture.file("signed.slots"), (long) SLOT * id, 1);
            fixture.restart();
            assertThat(fixture.index().size()).isEqualTo(hashes - 1);
            assertThat(fixture.store().damaged()).isOne();
            assertThat(fixture.store().damage()).contains("signed.slots is damaged at byte " + SLOT * id + ":");
        }
    }

    @Test
    void rejectsADamagedImageWithItsPosition() throws Exception {
        try (StoreFixture fixture = filled()) {
            byte[] sound = Files.readAllBytes(fixture.image());
            for (int position = 0; position < sound.length; position++) {
                flip(fixture.image(), position, 1 << position % 8);
                assertThatExceptionOfType(StorageException.class).as("byte %d", position)
                        .isThrownBy(fixture::restart).withMessageContaining("image-1 is damaged at byte ");
                Files.write(fixture.image(), sound);
            }
            Files.write(fixture.image(), Arrays.copyOf(sound, sound.length - 1));
            assertThatExceptionOfType(StorageException.class).isThrownBy(fixture::restart)
                    .withMessageContaining("the file ends too early");
            Files.delete(fixture.image());
            assertThatExceptionOfType(StorageException.class).isThrownBy(fixture::restart)
                    .withMessageContaining("image-1 is missing");
        }
    }

    /** Whatever an image holds, a start ends with an index or with a sentence. */
    @Test
    void rejectsARandomImage() throws Exception {
        try (StoreFixture fixture = filled()) {
            byte[] sound = Files.readAllBytes(fixture.image());
            SplittableRandom random = new SplittableRandom(7);
            for (int i = 0; i < 200; i++) {
                byte[] noise = sound.clone();
                for (int changes = 1 + random.nextInt(20); changes > 0; changes--) {
                    noise[random.nextInt(noise.length)] = (byte) random.nextInt();
                }
                if (!Arrays.equals(noise, sound)) {
                    Files.write(fixture.image(), noise);
                    assertThatExceptionOfType(StorageException.class).isThrownBy(fixture::restart);
                }
            }
        }
    }

    @Test
    void theManifestSurvivesDamageToOneOfItsCopies() throws Exception {
        try (StoreFixture fixture = filled()) {
            Path manifest = fixture.file("manifest");
            flip(manifest, 20, 1);
            fixture.restart();
            fixture.check(HASHES);
            flip(manifest, 2_048 + 20, 1);
            fixture.restart();
            fixture.check(HASHES);
            flip(manifest, 4_096 + 20, 1);
            assertThatExceptionOfType(StorageException.class).isThrownBy(fixture::restart)
                    .withMessageContaining("manifest is damaged").withMessageContaining("weir adopt --apply");
            Files.delete(manifest);
            assertThatExceptionOfType(StorageException.class).isThrownBy(fixture::restart)
                    .withMessageContaining("manifest is missing");
        }
    }

    /** A disk loses whole blocks. */
    @Test
    void theManifestSurvivesTheLossOfABlock() throws Exception {
        try (StoreFixture fixture = filled()) {
            Path manifest = fixture.file("manifest");
            byte[] content = Files.readAllBytes(manifest);
            for (int block = 0; block < content.length; block += 4_096) {
                byte[] zeroed = content.clone();
                Arrays.fill(zeroed, block, Math.min(block + 4_096, content.length), (byte) 0);
                Files.write(manifest, zeroed);
                fixture.restart();
                fixture.check(HASHES);
            }
            // As an earlier version wrote it.
            Files.write(manifest, Arrays.copyOf(content, 4_096));
            fixture.restart();
            fixture.check(HASHES);
        }
    }

    /** A lost file can be put back. The next checkpoint would forget what it has. */
    @Test
    void aLostOrCutFileOfSlotsIsRefused() throws Exception {
        try (StoreFixture fixture = filled()) {
            for (String name : List.of("plain.slots", "signed.slots")) {
                Path slots = fixture.file(name);
                byte[] content = Files.readAllBytes(slots);
                Files.write(slots, Arrays.copyOf(content, content.length / 2));
                assertThatExceptionOfType(StorageException.class).isThrownBy(fixture::restart)
                        .withMessageContaining(name + " is missing or cut").withMessageContaining("weir repair");
                Files.delete(slots);
                assertThatExceptionOfType(StorageException.class).isThrownBy(fixture::restart)
                        .withMessageContaining(name + " is missing or cut")
                        .withMessageContaining((name.startsWith("plain") ? HASHES / 3 : HASHES - HASHES / 3)
                                + " hashes");
                Files.write(slots, content);
            }
            fixture.restart();
            fixture.check(HASHES);
        }
    }

    @Test
    void anotherFormatIsRefused() throws Exception {
        try (StoreFixture fixture = filled()) {
            Path manifest = fixture.file("manifest");
            ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(manifest)).order(ByteOrder.LITTLE_ENDIAN);
            for (int at : new int[]{0, 2_048, 4_096}) {
                content.put(at + 7, (byte) '4');
                CRC32C crc = new CRC32C();
                crc.update(content.array(), at, 2_044);
                content.putInt(at + 2_044, (int) crc.getValue());
            }
            Files.write(manifest, content.array());
            assertThatExceptionOfType(StorageException.class).isThrownBy(fixture::restart)
                    .withMessageContaining("was written by a newer weir; use that one");
            content.put(7, (byte) '2');
            CRC32C older = new CRC32C();
            older.update(content.array(), 0, 2_044);
            Files.write(manifest, content.putInt(2_044, (int) older.getValue()).array());
            assertThatExceptionOfType(StorageException.class).isThrownBy(fixture::restart)
                    .withMessageContaining("manifest has version 2 of the format, of an older weir",
                            "run `weir export`");
        }
    }

    @Test
    void aRemovedIdWaitsForACheckpoint() throws Exception {
        try (StoreFixture fixture = filled()) {
            fixture.apply(new Update.DeleteAll(Samples.digest(1)));
            assertThat(fixture.index().freeIds()).isZero();
            fixture.apply(Samples.write(50, 1, 1, 1, Samples.signature(50)));
            fixture.store().forceSlots();
            assertThat(Digest.read(Files.readAllBytes(fixture.file("signed.slots")), SLOT))
                    .isEqualTo(Samples.digest(1));
            fixture.checkpoint();
            assertThat(fixture.index().freeIds()).isOne();
            fixture.apply(Samples.write(51, 1, 1, 1, Samples.signature(51)));
            fixture.store().forceSlots();
            assertThat(Digest.read(Files.readAllBytes(fixture.file("signed.slots")), SLOT))
                    .isEqualTo(Samples.digest(51));
        }
    }

    /** An image that has updates which the log may lose must not count; one without them may. */
    @Test
    void aCheckpointWaitsForTheLog() throws Exception {
        try (StoreFixture fixture = filled()) {
            Checkpoints store = fixture.store();
            fixture.apply(Samples.write(60, 1, 1, 1, null));
            store.begin();
            assertThat(store.complete(0)).as("no update came between").isTrue();
            long before = store.revision();
            fixture.apply(Samples.write(61, 1, 1, 1, null));
            fixture.besideImage(() -> fixture.apply(Samples.write(0, 1, 1, 1, null)));
            store.begin();
            fixture.besideImage(() -> {});
            assertThat(store.complete(before + 1)).isFalse();
            assertThat(store.revision()).isEqualTo(before);
            assertThat(store.complete(Long.MAX_VALUE)).isTrue();
            fixture.restart();
            fixture.check(70);
        }
    }

    /** The new record is in the image although the cut did not know its id: the old one is gone when it is copied. */
    @Test
    void keepsAHashThatGetsASignatureBesideAnImage() throws Exception {
        try (StoreFixture fixture = new StoreFixture(folder, StoreFixture.small())) {
            for (int n = 0; n < HASHES; n++) {
                fixture.apply(Samples.write(n, 1, 10 + n, 1_000, null));
            }
            Runnable[] once = {() -> fixture.apply(
                    Samples.write(HASHES - 1, 1, 5, 2_000, Samples.signature(HASHES - 1)))};
            fixture.checkpoint(() -> {
                once[0].run();
                once[0] = () -> {};
            });
            fixture.restart();
            fixture.check(HASHES);
        }
    }

    /** A free id in a page that is copied already must not take the hash in. */
    @Test
    void keepsAHashWhoseSignatureChangesBesideAnImage() throws Exception {
        try (StoreFixture fixture = new StoreFixture(folder, StoreFixture.small())) {
            for (int n = 0; n < HASHES; n++) {
                StoredHash hash = new StoredHash(Samples.digest(n), List.of(new FlagValue(1, 10 + n, 1_000)),
                        Signature.partial(Samples.shingles(n), 0, 0xffff));
                fixture.index().load(hash);
                fixture.model().load(hash);
            }
            fixture.apply(new Update.DeleteAll(Samples.digest(0)));
            fixture.checkpoint();
            assertThat(fixture.index().freeIds()).isOne();
            Runnable[] once = {() -> fixture.apply(
                    Samples.write(HASHES - 1, 1, 5, 2_000, Samples.signature(HASHES - 1)))};
            fixture.checkpoint(() -> {
                once[0].run();
                once[0] = () -> {};
            });
            assertThat(fixture.index().freeIds()).as("the id of the deleted hash").isPositive();
            fixture.restart();
            fixture.check(HASHES);
        }
    }

    /** More than are sorted at once. */
    @Test
    void manyHashesAreFoundAfterAStart() throws Exception {
        int many = 300_000;
        int signed = 40_000;
        try (StoreFixture fixture = new StoreFixture(folder, CheckpointSettings.DEFAULT)) {
            for (int n = 0; n < many; n++) {
                fixture.apply(Samples.write(n, 1, n, 1_000, n < signed ? Samples.signature(n) : null));
            }
            fixture.checkpoint();
            fixture.restart();
            assertThat(fixture.index().size()).isEqualTo(many);
            SplittableRandom random = new SplittableRandom(3);
            for (int i = 0; i < 2_000; i++) {
                int n = random.nextInt(many);
                assertThat(fixture.find(n, null)).isPresent().get()
                        .satisfies(answer -> assertThat(answer.flags().getFirst().value()).isEqualTo(n));
                int near = random.nextInt(signed);
                assertThat(fixture.find(many, Samples.changed(Samples.shingles(near), 8, random))).isPresent().get()
                        .satisfies(answer -> assertThat(answer.digest()).isEqualTo(Samples.digest(near)));
            }
        }
    }
}
