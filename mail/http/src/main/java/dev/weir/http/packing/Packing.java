package dev.weir.http.packing;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.util.Native;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHeaders;

/** The compression of a message body, from the header {@code Compression} or {@code Content-Encoding}. */
public enum Packing {
    /** No compression. */
    NONE,
    /** Frames of zstd. */
    ZSTD,
    /** An unsupported compression. */
    UNKNOWN;

    /**
     * The size that a body may always claim when unpacked. Anything larger is unpacked piece by piece, and memory grows
     * with the actual size.
     */
    private static final int TRUSTED = 1 << 20;
    private static final int TRUSTED_RATIO = 64;
    /** The window of frames without a stated size: 8 MiB, which every decoder must support (RFC 8878, 3.1.1.1.2). */
    private static final int WINDOW_LOG = 23;
    /** The window of frames with a stated size. The size was compared with the limit before. */
    private static final int SIZED_WINDOW_LOG = 27;
    private static final int STEP = 64 << 10;
    private static final int LEVEL = 1;

    /** The library, loaded once, and whether loading succeeded. */
    private static final class Library {
        static final boolean LOADED = load();

        private static boolean load() {
            try {
                Native.load();
                return true;
            } catch (LinkageError e) {
                return false;
            }
        }

        private Library() {}
    }

    /** Returns the compression that the headers state. */
    public static Packing of(HttpHeaders headers) {
        Optional<String> name = headers.first("compression").or(() -> headers.first("content-encoding"));
        return switch (name.orElse("").toLowerCase(Locale.ROOT)) {
            case "", "identity" -> NONE;
            case "zstd" -> ZSTD;
            default -> UNKNOWN;
        };
    }

    /**
     * Unpacks a body.
     *
     * @param most maximum unpacked size in bytes
     * @param share the source of the memory
     * @return empty if the body is damaged or its compression is unknown
     * @throws HttpException 413 if the result is too large, 415 if the library cannot be loaded on this machine, 503 if
     *         there is no memory at present
     */
    public Optional<byte[]> unpack(byte[] body, int most, BodyBudget.Share share) throws HttpException {
        return switch (this) {
            case NONE -> Optional.of(body);
            case UNKNOWN -> Optional.empty();
            case ZSTD -> {
                if (!isZstdSupported()) {
                    throw new HttpException(415, "zstd is not supported here: its library cannot be loaded;"
                            + " WEIR_NATIVE_DIR names a folder for it");
                }
                yield zstd(body, most, share);
            }
        };
    }

    private static Optional<byte[]> zstd(byte[] body, int most, BodyBudget.Share share) throws HttpException {
        if (body.length == 0) {
            return Optional.empty();
        }
        long size = Zstd.getFrameContentSize(body, 0, body.length);
        if (size > most) {
            throw new HttpException(413, "Message is too large");
        }
        if (size <= 0 || size > TRUSTED + (long) body.length * TRUSTED_RATIO) {
            return streamed(body, size > 0 ? SIZED_WINDOW_LOG : WINDOW_LOG, most, share);
        }
        share.take(size);
        byte[] plain = new byte[(int) size];
        try {
            long written = Zstd.decompressByteArray(plain, 0, plain.length, body, 0, body.length);
            return Optional.of(written == size ? plain : Arrays.copyOf(plain, (int) written));
        } catch (ZstdException e) {
            // The body is damaged, or a second frame follows.
            return streamed(body, SIZED_WINDOW_LOG, most, share);
        }
    }

    private static Optional<byte[]> streamed(byte[] body, int windowLog, int most, BodyBudget.Share share)
            throws HttpException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] step = new byte[STEP];
        try (ZstdInputStreamNoFinalizer in = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(body))) {
            in.setLongMax(windowLog);
            while (true) {
                int read = in.read(step);
                if (read < 0) {
                    return Optional.of(out.toByteArray());
                }
                if (read > most - out.size()) {
                    throw new HttpException(413, "Message is too large");
                }
                // Counts twice, because the buffer doubles and is copied at the end.
                share.take(2L * read);
                out.write(step, 0, read);
            }
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Returns whether zstd works on this machine. */
    public static boolean isZstdSupported() {
        return Library.LOADED;
    }

    /** Compresses a reply with zstd, if supported. */
    public static byte[] zstd(byte[] plain) {
        return Zstd.compress(plain, LEVEL);
    }
}
