package dev.weir.storage.transfer.redis;

import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.function.LongConsumer;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.database.sqlite.SqliteErrors;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;

/**
 * The hashes that any release of Rspamd keeps in Redis (docs/reference/storage.md#redis-backend). They are first
 * fetched into a file, see {@link Spool}. Signatures come from field S, or if it is missing, as before 4.1.3, from the
 * keys of the shingles.
 *
 * <p>Times: field C is the time of creation. Rspamd sets the time to live to its {@code expire} whenever a hash is
 * written or strongly matched, so the remaining time reveals that moment, which counts as the renewal. The caller
 * states {@code expire}; otherwise the longest time to live found replaces it.
 *
 * <p>Positions count digests in order, from 1.
 */
public final class RedisSource implements HashSource {
    private final RedisPlace place;
    private final Spool spool;
    private final InstantSource clock;
    private final long lifetime;

    private RedisSource(RedisPlace place, Spool spool, InstantSource clock, long lifetime) {
        this.place = place;
        this.spool = spool;
        this.clock = clock;
        this.lifetime = lifetime;
    }

    /**
     * Opens the file to fetch into. {@link #prepare} connects to Redis.
     *
     * @param spool the file; if it is from an earlier run with the same place, this run resumes it
     * @param again whether to discard an earlier run
     * @param lifetime Rspamd's {@code expire} in seconds, 0 if unknown
     */
    public static RedisSource open(RedisPlace place, Path spool, boolean again, InstantSource clock, long lifetime)
            throws StorageException {
        if (again) {
            Spool.remove(spool);
        }
        Spool opened = Spool.open(spool);
        String from = opened.state(RedisFetch.PLACE);
        if (from != null && !from.equals(place.toString())) {
            opened.close();
            throw new StorageException(spool + " holds what an interrupted import fetched from " + from
                    + "; finish that one, or use --restart to give it up");
        }
        return new RedisSource(place, opened, clock, lifetime);
    }

    @Override
    public String name() {
        return place.toString();
    }

    @Override
    public void prepare(LongConsumer progress) throws StorageException {
        new RedisFetch(place, spool, clock).run(progress);
    }

    @Override
    public long remaining(long after) throws StorageException {
        return Math.max(0, spool.count() - Math.max(0, after));
    }

    @Override
    public long fingerprint() throws StorageException {
        return number(RedisFetch.ID);
    }

    private long number(String name) throws StorageException {
        String value = spool.state(name);
        return value == null ? 0 : Long.parseLong(value);
    }

    @Override
    public void read(long after, Sink sink, Omissions omissions) throws StorageException {
        omissions.add(Omission.OTHER_KEY, number(RedisFetch.OTHER));
        long expire = lifetime > 0 ? lifetime : number(RedisFetch.LONGEST);
        try (Statement first = spool.statement();
                Statement second = spool.statement();
                ResultSet row = spool.hashes(first);
                ResultSet slot = spool.slots(second)) {
            Slots slots = new Slots(slot, omissions);
            long position = 0;
            boolean more = row.next();
            while (more) {
                byte[] digest = row.getBytes(1);
                boolean vanished = row.getInt(2) != 0;
                long expires = row.getLong(3);
                byte[] fields = row.getBytes(4);
                more = row.next();
                if (more && Arrays.equals(digest, row.getBytes(1))) {
                    // SCAN may return a key twice, and both readings are equally good.
                    continue;
                }
                position++;
                Signature signature = slots.of(digest);
                if (fields == null) {
                    omissions.count(vanished ? Omission.VANISHED : Omission.ODD_TYPE);
                } else if (position > after) {
                    StoredHash hash = Fields.read(Digest.read(digest, 0), FieldText.read(Fields.text(fields)),
                            signature, expires > 0 ? Math.max(0, expires - expire) : 0, omissions);
                    if (hash != null) {
                        sink.accept(position, hash);
                    }
                }
            }
            slots.finish();
        } catch (SQLException e) {
            throw SqliteErrors.of(spool.file(), "read", e);
        }
    }

    /** The owners of shingles, read in parallel with the hashes. */
    private static final class Slots {
        private final ResultSet row;
        private final Omissions omissions;
        private byte @Nullable [] digest;

        Slots(ResultSet row, Omissions omissions) throws SQLException {
            this.row = row;
            this.omissions = omissions;
            advance();
        }

        private void advance() throws SQLException {
            digest = row.next() ? row.getBytes(1) : null;
        }

        @Nullable
        Signature of(byte[] wanted) throws SQLException {
            while (digest != null && Arrays.compareUnsigned(digest, wanted) < 0) {
                omissions.count(Omission.ORPHAN_SHINGLE);
                advance();
            }
            long[] values = new long[Signature.SLOTS];
            int mask = 0;
            while (digest != null && Arrays.equals(digest, wanted)) {
                int slot = row.getInt(2);
                values[slot] = row.getLong(3);
                mask |= 1 << slot;
                advance();
            }
            return mask == 0 ? null : Signature.partial(values, 0, mask);
        }

        void finish() throws SQLException {
            while (digest != null) {
                omissions.count(Omission.ORPHAN_SHINGLE);
                advance();
            }
        }
    }

    @Override
    public void done() throws StorageException {
        spool.close();
        Spool.remove(spool.file());
    }

    @Override
    public void close() throws StorageException {
        spool.close();
    }
}
