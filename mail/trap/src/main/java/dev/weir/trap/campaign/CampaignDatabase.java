package dev.weir.trap.campaign;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.model.failure.Reason;
import dev.weir.os.OwnerOnly;

/**
 * The campaigns that traps have seen, in an SQLite file. A mail belongs to a campaign if more than half of its 32
 * shingles are those of the campaign's first mail. What a method has done is on disk when it returns. Thread-safe.
 */
public final class CampaignDatabase implements AutoCloseable {
    private static final int VERSION = 1;
    private static final int BANDS = Signature.SLOTS / 2;
    /** Campaigns with a common pair of shingles beyond these are not compared. */
    private static final int MOST_CANDIDATES = 256;
    /** The number of campaigns that one mail may drop. */
    private static final int MOST_DROPPED = 100;

    private static final String SCHEMA = """
            CREATE TABLE campaign(id INTEGER PRIMARY KEY, shingles BLOB NOT NULL, last INTEGER NOT NULL);
            CREATE INDEX campaign_last ON campaign(last);
            CREATE TABLE band(key INTEGER NOT NULL, campaign INTEGER NOT NULL REFERENCES campaign ON DELETE CASCADE,
              PRIMARY KEY(key, campaign)) WITHOUT ROWID;
            CREATE INDEX band_campaign ON band(campaign);
            CREATE TABLE source(campaign INTEGER NOT NULL REFERENCES campaign ON DELETE CASCADE, kind INTEGER NOT NULL,
              name TEXT NOT NULL, PRIMARY KEY(campaign, kind, name)) WITHOUT ROWID;
            CREATE TABLE taught(campaign INTEGER NOT NULL REFERENCES campaign ON DELETE CASCADE, purpose INTEGER NOT NULL,
              digest BLOB NOT NULL, weight INTEGER NOT NULL, PRIMARY KEY(campaign, purpose, digest)) WITHOUT ROWID;
            CREATE TABLE read(folder TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY(folder, name)) WITHOUT ROWID;
            CREATE TABLE place(folder TEXT PRIMARY KEY, at INTEGER NOT NULL, mark BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE secret(key BLOB NOT NULL);
            """;
    /** For how long a folder without a place may be one whose place was lost. */
    private static final Duration RECENT_LOSS = Duration.ofDays(1);
    private static final int KEY_BYTES = 32;

    private final Path file;
    private final Connection connection;
    private final Optional<String> damage;

    private CampaignDatabase(Path file, Connection connection, Optional<String> damage) {
        this.file = file;
        this.connection = connection;
        this.damage = damage;
    }

    /**
     * The bounds of the memory.
     *
     * @param hold how long a campaign is remembered after its last mail
     * @param campaigns the greatest number of campaigns
     * @param sources the number of sources of one kind beyond which a campaign remembers no more
     */
    public record Bounds(Duration hold, int campaigns, int sources) {}

    /**
     * Opens the file, for the user of the process alone, and creates it if it is missing. A damaged one is kept aside.
     * In its place comes one without campaigns; the mails that are in the folders then count as read, because nothing
     * tells which of them were learned.
     */
    public static CampaignDatabase open(Path file) throws CampaignDatabaseException {
        try {
            Optional<CampaignLoss> loss = CampaignLoss.find(file);
            OwnerOnly.create(file);
            Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file.toAbsolutePath());
            try {
                prepare(file, connection, loss);
                if (loss.isPresent()) {
                    CampaignLoss.written(file);
                }
                return new CampaignDatabase(file, connection, loss.map(CampaignLoss::sentence));
            } catch (Throwable e) {
                connection.close();
                throw e;
            }
        } catch (SQLException | IOException e) {
            throw new CampaignDatabaseException("cannot use " + file.toAbsolutePath() + " for the campaigns of traps ("
                    + Reason.of(e) + ")", e);
        }
    }

    /** Returns what was damaged when this was opened, as a sentence. */
    public Optional<String> damage() {
        return damage;
    }

    private static void prepare(Path file, Connection connection, Optional<CampaignLoss> loss) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String pragma : List.of("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON",
                    "busy_timeout = 10000")) {
                statement.execute("PRAGMA " + pragma);
            }
            int version = statement.executeQuery("PRAGMA user_version").getInt(1);
            if (version > VERSION) {
                throw new SQLException(file + " is of a newer Weir");
            }
            connection.setAutoCommit(false);
            if (version == 0) {
                statement.executeUpdate(SCHEMA);
                statement.executeUpdate("PRAGMA user_version = " + VERSION);
            }
            if (loss.isPresent()) {
                loss.get().write(statement);
            }
            connection.commit();
        }
    }

    /** Work in one transaction. */
    private interface Work<T> {
        T run() throws SQLException;
    }

    private synchronized <T> T transaction(Work<T> work) throws CampaignDatabaseException {
        try {
            try {
                T result = work.run();
                connection.commit();
                return result;
            } catch (Throwable e) {
                connection.rollback();
                throw e;
            }
        } catch (SQLException e) {
            throw new CampaignDatabaseException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Records a mail. A user who votes again on a campaign replaces the vote.
     *
     * @param shingles the 32 shingles of its text
     * @param sources who has to do with it
     * @return the number of its campaign
     */
    public long see(long[] shingles, List<CampaignSource> sources, Instant now, Bounds bounds)
            throws CampaignDatabaseException {
        return transaction(() -> {
            long millis = now.toEpochMilli();
            OptionalLong known = find(shingles);
            long campaign = known.isPresent() ? known.getAsLong() : create(shingles, millis);
            update("UPDATE campaign SET last = max(last, ?) WHERE id = ?", millis, campaign);
            for (CampaignSource source : sources) {
                add(campaign, source, bounds.sources());
            }
            if (known.isEmpty()) {
                forget(millis - bounds.hold().toMillis(), bounds.campaigns());
            }
            return campaign;
        });
    }

    /** Returns what is known about a campaign now. */
    public Sighting sighting(long campaign) throws CampaignDatabaseException {
        return transaction(() -> new Sighting(count(campaign, CampaignSource.Kind.TRAP),
                count(campaign, CampaignSource.Kind.NETWORK), count(campaign, CampaignSource.Kind.COMPLAINT),
                count(campaign, CampaignSource.Kind.KEEP)));
    }

    /** Records the weight that hashes of a campaign have now. */
    public void taught(long campaign, Purpose purpose, List<Digest> digests, int weight)
            throws CampaignDatabaseException {
        transaction(() -> {
            for (Digest digest : digests) {
                update("INSERT OR REPLACE INTO taught SELECT id, ?, ?, ? FROM campaign WHERE id = ?",
                        purpose.code(), digest.toBytes(), weight, campaign);
            }
            return digests.size();
        });
    }

    /** Returns the hashes of a campaign with the weights that they have. */
    public Map<Digest, Integer> taught(long campaign, Purpose purpose) throws CampaignDatabaseException {
        return transaction(() -> {
            Map<Digest, Integer> taught = new HashMap<>();
            try (PreparedStatement select = prepare("SELECT digest, weight FROM taught WHERE campaign = ?"
                    + " AND purpose = ?", campaign, purpose.code()); ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    taught.put(Digest.of(rows.getBytes(1)), rows.getInt(2));
                }
            }
            return taught;
        });
    }

    /** Records that hashes of a campaign have been taken back. */
    public void forgotten(long campaign, Purpose purpose) throws CampaignDatabaseException {
        transaction(() -> update("DELETE FROM taught WHERE campaign = ? AND purpose = ?", campaign,
                purpose.code()));
    }

    /** Returns a random key, which stays the same for this file. */
    public byte[] secret() throws CampaignDatabaseException {
        return transaction(() -> {
            try (PreparedStatement select = prepare("SELECT key FROM secret"); ResultSet rows = select.executeQuery()) {
                if (rows.next()) {
                    return rows.getBytes(1);
                }
            }
            byte[] key = new byte[KEY_BYTES];
            new SecureRandom().nextBytes(key);
            update("INSERT INTO secret VALUES(?)", key);
            return key;
        });
    }

    /** Returns the number of remembered campaigns. */
    public long size() throws CampaignDatabaseException {
        return transaction(() -> number("SELECT count(*) FROM campaign").orElse(0));
    }

    /** Returns the number of campaigns that are held back: remembered but not learned. */
    public long held() throws CampaignDatabaseException {
        return transaction(() -> number("SELECT count(*) FROM campaign WHERE id NOT IN"
                + " (SELECT campaign FROM taught)").orElse(0));
    }

    private OptionalLong find(long[] shingles) throws SQLException {
        Set<Long> seen = new HashSet<>();
        for (long key : keys(shingles)) {
            try (PreparedStatement select = prepare("SELECT id, shingles FROM band JOIN campaign ON id = campaign"
                    + " WHERE key = ? LIMIT " + MOST_CANDIDATES, key);
                    ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    long id = rows.getLong(1);
                    if (seen.add(id) && agree(shingles, rows.getBytes(2))) {
                        return OptionalLong.of(id);
                    }
                }
            }
        }
        return OptionalLong.empty();
    }

    private static boolean agree(long[] shingles, byte[] stored) {
        long[] other = new long[Signature.SLOTS];
        ByteBuffer.wrap(stored).asLongBuffer().get(other);
        return Signature.equalSlots(shingles, other) > Signature.SLOTS / 2;
    }

    private long create(long[] shingles, long millis) throws SQLException {
        ByteBuffer bytes = ByteBuffer.allocate(Signature.SLOTS * Long.BYTES);
        for (long shingle : shingles) {
            bytes.putLong(shingle);
        }
        update("INSERT INTO campaign(shingles, last) VALUES(?, ?)", bytes.array(), millis);
        long campaign = number("SELECT last_insert_rowid()").orElseThrow();
        for (long key : keys(shingles)) {
            update("INSERT OR IGNORE INTO band VALUES(?, ?)", key, campaign);
        }
        return campaign;
    }

    /** Signatures that agree in more than 16 of 32 shingles agree in at least one of 16 pairs. */
    private static List<Long> keys(long[] shingles) {
        List<Long> keys = new ArrayList<>(BANDS);
        for (int i = 0; i < BANDS; i++) {
            long mixed = (shingles[2 * i] * 0x9e3779b97f4a7c15L) ^ Long.rotateLeft(shingles[2 * i + 1], 31);
            keys.add((mixed ^ (mixed >>> 29)) * 0xbf58476d1ce4e5b9L + i);
        }
        return keys;
    }

    private void add(long campaign, CampaignSource source, int most) throws SQLException {
        if (source.kind().opposite() != source.kind()) {
            update("DELETE FROM source WHERE campaign = ? AND kind = ? AND name = ?", campaign,
                    source.kind().opposite().code(), source.name());
        }
        if (count(campaign, source.kind()) < most) {
            update("INSERT OR IGNORE INTO source VALUES(?, ?, ?)", campaign, source.kind().code(), source.name());
        }
    }

    private int count(long campaign, CampaignSource.Kind kind) throws SQLException {
        return (int) number("SELECT count(*) FROM source WHERE campaign = ? AND kind = ?", campaign, kind.code())
                .orElse(0);
    }

    private void forget(long before, int most) throws SQLException {
        long surplus = number("SELECT count(*) FROM campaign").orElse(0) - most;
        update("DELETE FROM campaign WHERE id IN (SELECT id FROM campaign WHERE last < ? ORDER BY last LIMIT ?)",
                before, MOST_DROPPED);
        if (surplus > 0) {
            update("DELETE FROM campaign WHERE id IN (SELECT id FROM campaign ORDER BY last, id LIMIT ?)",
                    Math.min(surplus, MOST_DROPPED));
        }
    }

    /**
     * Returns whether it is unknown which mails of a folder have been read, because the file that told was damaged. The
     * mails that are there now must count as read. Call {@link #found} when they do.
     */
    public boolean isUnknown(String folder, Instant now) throws CampaignDatabaseException {
        return transaction(() -> number("SELECT 1 FROM sqlite_master WHERE name = 'loss'").isPresent()
                && number("SELECT 1 FROM loss WHERE millis > ?", now.minus(RECENT_LOSS).toEpochMilli()).isPresent()
                && number("SELECT 1 FROM seen WHERE folder = ?", folder).isEmpty());
    }

    /** Records that the mails of a folder after a loss count as read. */
    public void found(String folder) throws CampaignDatabaseException {
        transaction(() -> update("INSERT OR IGNORE INTO seen VALUES(?)", folder));
    }

    /** Returns whether a mail of a folder has been read. */
    public boolean wasRead(String folder, String name) throws CampaignDatabaseException {
        return transaction(() -> number("SELECT 1 FROM read WHERE folder = ? AND name = ?", folder, name).isPresent());
    }

    /** Records that a mail of a folder has been read. */
    public void read(String folder, String name) throws CampaignDatabaseException {
        transaction(() -> update("INSERT OR IGNORE INTO read VALUES(?, ?)", folder, name));
    }

    /** Forgets the mails of a folder that are gone from it. */
    public void keepRead(String folder, Set<String> present) throws CampaignDatabaseException {
        transaction(() -> {
            List<String> gone = new ArrayList<>();
            try (PreparedStatement select = prepare("SELECT name FROM read WHERE folder = ?", folder);
                    ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    if (!present.contains(rows.getString(1))) {
                        gone.add(rows.getString(1));
                    }
                }
            }
            for (String name : gone) {
                update("DELETE FROM read WHERE folder = ? AND name = ?", folder, name);
            }
            return gone.size();
        });
    }

    /**
     * The place where the reader of a file stopped.
     *
     * @param offset the offset in bytes
     * @param mark a digest of what is before it
     */
    public record Place(long offset, Digest mark) {}

    /** Returns the place where the reader of a file stopped. */
    public Optional<Place> place(String folder) throws CampaignDatabaseException {
        return transaction(() -> {
            try (PreparedStatement select = prepare("SELECT at, mark FROM place WHERE folder = ?", folder);
                    ResultSet rows = select.executeQuery()) {
                return rows.next()
                        ? Optional.of(new Place(rows.getLong(1), Digest.of(rows.getBytes(2))))
                        : Optional.empty();
            }
        });
    }

    /** Records the place where the reader of a file stopped. */
    public void place(String folder, Place place) throws CampaignDatabaseException {
        transaction(() -> update("INSERT OR REPLACE INTO place VALUES(?, ?, ?)", folder, place.offset(),
                place.mark().toBytes()));
    }

    private PreparedStatement prepare(String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement;
        } catch (Throwable e) {
            statement.close();
            throw e;
        }
    }

    private int update(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(sql, values)) {
            return statement.executeUpdate();
        }
    }

    private OptionalLong number(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(sql, values); ResultSet rows = statement.executeQuery()) {
            return rows.next() ? OptionalLong.of(rows.getLong(1)) : OptionalLong.empty();
        }
    }

    @Override
    public synchronized void close() throws CampaignDatabaseException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new CampaignDatabaseException(file + ": " + e.getMessage(), e);
        }
    }
}
