package dev.weir.storage.transfer.dump;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.random.RandomGenerator;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.NewFile;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;

/**
 * A new dump, in a file that gets its name when it is complete, or in a stream. A run always starts from the beginning.
 */
public final class DumpTarget implements HashTarget {
    private static final int BUFFER = 64 * 1024;

    private final String name;
    private final @Nullable NewFile file;
    private final OutputStream out;
    private final DumpWriter writer;
    private boolean committed;

    private DumpTarget(String name, @Nullable NewFile file, OutputStream out, DumpWriter writer) {
        this.name = name;
        this.file = file;
        this.out = out;
        this.writer = writer;
    }

    /**
     * Creates a file.
     *
     * @param overwrite whether an existing file may be replaced
     * @param random the source of the number that identifies the dump
     */
    public static DumpTarget create(Path path, boolean overwrite, InstantSource clock, RandomGenerator random)
            throws StorageException {
        NewFile file = NewFile.at(path, overwrite);
        try {
            return begin(path.toString(), file, Files.newOutputStream(file.draft()), clock, random);
        } catch (IOException e) {
            throw new StorageException("cannot write " + file.draft() + ": " + Reason.of(e, file.draft()), e);
        }
    }

    /** Writes to a stream that stays open. */
    public static DumpTarget to(String name, OutputStream stream, InstantSource clock, RandomGenerator random)
            throws StorageException {
        return begin(name, null, new FilterOutputStream(stream) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                out.write(bytes, offset, length);
            }

            @Override
            public void close() throws IOException {
                flush();
            }
        }, clock, random);
    }

    private static DumpTarget begin(String name, @Nullable NewFile file, OutputStream stream, InstantSource clock,
            RandomGenerator random) throws StorageException {
        OutputStream out = new BufferedOutputStream(stream, BUFFER);
        try {
            return new DumpTarget(name, file, out,
                    DumpWriter.begin(out, random.nextLong(), clock.instant().getEpochSecond()));
        } catch (IOException e) {
            throw new StorageException("cannot write " + name + ": " + Reason.of(e, name), e);
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long begin(Plan plan) {
        return HashSource.START;
    }

    @Override
    public Written write(List<Item> items, Omissions omissions) throws StorageException {
        try {
            for (Item item : items) {
                writer.write(fitting(item.hash(), omissions));
            }
        } catch (IOException e) {
            throw new StorageException("cannot write " + name + ": " + Reason.of(e, name), e);
        }
        return new Written(items.size(), 0, 0);
    }

    private static StoredHash fitting(StoredHash hash, Omissions omissions) {
        int over = hash.flags().size() - DumpFormat.FLAGS_LIMIT;
        if (over <= 0) {
            return hash;
        }
        omissions.add(Omission.NO_ROOM_FOR_FLAG, over);
        return new StoredHash(hash.digest(), hash.flags().subList(0, DumpFormat.FLAGS_LIMIT), hash.signature(),
                hash.renewed());
    }

    @Override
    public void finish() throws StorageException {
        try {
            writer.finish();
            out.close();
        } catch (IOException e) {
            throw new StorageException("cannot write " + name + ": " + Reason.of(e, name), e);
        }
        if (file != null) {
            file.commit();
        }
        committed = true;
    }

    @Override
    public void close() throws StorageException {
        writer.close();
        if (committed) {
            return;
        }
        try {
            out.close();
        } catch (IOException e) {
            throw new StorageException("cannot write " + name + ": " + Reason.of(e, name), e);
        } finally {
            if (file != null) {
                file.discard();
            }
        }
    }
}
