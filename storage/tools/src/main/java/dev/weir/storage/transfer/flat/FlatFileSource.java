package dev.weir.storage.transfer.flat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.failure.Reason;
import dev.weir.os.RegularFile;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;

/**
 * A file of Rspamd before 0.8 (docs/reference/storage.md#flat-file): {@code rsh} and a version byte, then records of 96
 * bytes: value, flag, time, the hash, and four unused numbers. Numbers are little endian, as on every machine that
 * wrote such files in practice. Positions count records from 1.
 */
public final class FlatFileSource implements HashSource {
    private static final byte[] MAGIC = "rsh".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER = MAGIC.length + 1;
    private static final int RECORD = 96;
    private static final int BUFFER = 64 * 1024;

    private final String name;
    private final InputStream in;
    private final long size;
    private final long fingerprint;

    private FlatFileSource(String name, InputStream in, long size, long fingerprint) {
        this.name = name;
        this.in = in;
        this.size = size;
        this.fingerprint = fingerprint;
    }

    /** Returns whether the bytes begin such a file. */
    public static boolean looksLike(byte[] beginning) {
        return beginning.length >= HEADER && Arrays.equals(beginning, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
    }

    /** Opens a file. */
    public static FlatFileSource open(Path file) throws StorageException {
        try {
            long size = Files.size(file);
            long changed = Files.getLastModifiedTime(file).toMillis();
            return read(file.toString(), Channels.newInputStream(RegularFile.openNamed(file)), size,
                    changed * 31 + size);
        } catch (IOException e) {
            throw new StorageException("cannot open " + file + ": " + Reason.of(e, file), e);
        }
    }

    /** Reads a stream, which is closed with the source. */
    static FlatFileSource read(String name, InputStream stream, long size, long fingerprint) throws StorageException {
        InputStream in = new BufferedInputStream(stream, BUFFER);
        try {
            if (!looksLike(in.readNBytes(HEADER))) {
                throw new StorageException(name + " is not a file of fuzzy hashes: it does not begin with rsh");
            }
            return new FlatFileSource(name, in, size, fingerprint);
        } catch (IOException e) {
            closeAfterFailure(in);
            throw new StorageException("cannot read " + name + ": " + Reason.of(e, name), e);
        } catch (Throwable e) {
            closeAfterFailure(in);
            throw e;
        }
    }

    private static void closeAfterFailure(InputStream in) {
        try {
            in.close();
        } catch (IOException e) {
            // The failure to open is the one to report.
            return;
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long remaining(long after) {
        return Math.max(0, (size - HEADER) / RECORD - Math.max(0, after));
    }

    @Override
    public long fingerprint() {
        return fingerprint;
    }

    @Override
    public void read(long after, Sink sink, Omissions omissions) throws StorageException {
        try {
            byte[] record = new byte[RECORD];
            long position = 0;
            int length = in.readNBytes(record, 0, RECORD);
            while (length == RECORD) {
                position++;
                if (position > after) {
                    sink.accept(position, hash(record));
                }
                length = in.readNBytes(record, 0, RECORD);
            }
            if (length > 0) {
                omissions.count(Omission.CUT_OFF);
            }
        } catch (IOException e) {
            throw new StorageException("cannot read " + name + ": " + Reason.of(e, name), e);
        }
    }

    private static StoredHash hash(byte[] record) {
        ByteBuffer fields = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
        int value = fields.getInt();
        int flag = fields.getInt();
        long time = fields.getLong();
        return new StoredHash(Digest.read(record, fields.position()), List.of(new FlagValue(flag, value, time)), null);
    }

    @Override
    public void close() throws StorageException {
        try {
            in.close();
        } catch (IOException e) {
            throw new StorageException("cannot close " + name + ": " + Reason.of(e, name), e);
        }
    }
}
