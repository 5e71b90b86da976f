package dev.weir.storage.settings;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.UnaryOperator;

import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import dev.weir.config.ucl.JsonText;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclArray;
import dev.weir.config.ucl.UclDouble;
import dev.weir.config.ucl.UclInteger;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.config.ucl.UclString;
import dev.weir.config.ucl.UclValue;
import dev.weir.model.failure.Reason;
import dev.weir.os.OwnerOnly;
import dev.weir.os.ProcessUser;
import dev.weir.os.RegularFile;
import dev.weir.storage.StorageException;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.log.FolderDisk;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/**
 * A file of dynamic keys (docs/reference/storage.md#dynamic-keys) that a running program edits. Each edit reads the
 * file, changes one entry and replaces the file; Rspamd can read the result, too. The new file is
 * JSON with everything of the old one, also unusable entries, except for comments. Messages never contain secrets. Let
 * one thread edit a file at a time.
 */
public final class DynamicKeyFile {
    /** As long as the storage reads it. */
    private static final int LONGEST = 8 << 20;
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("dd-MM-uuuu", Locale.ROOT);

    private final Path file;

    /** Creates an editor of a file, which exists, or which {@link #begin} creates. */
    public DynamicKeyFile(Path file) {
        this.file = file;
    }

    /** Returns the place of the file. */
    public Path path() {
        return file;
    }

    /**
     * Returns the usable keys in the order of the file.
     *
     * @throws StorageException if the file cannot be read, or is no array
     */
    public List<ServerKey> keys() throws StorageException {
        return read().items().stream().flatMap(item -> key(item).stream()).toList();
    }

    /** Returns why this user cannot replace the file; empty if nothing is known to be in the way. */
    public Optional<String> obstacle() {
        @Nullable
        Path folder;
        try {
            Path place = isMissing() ? file.toAbsolutePath() : file.toRealPath();
            folder = place.getParent() == null ? null : place.getParent().toRealPath();
        } catch (IOException e) {
            return Optional.of(Reason.of(e, file));
        }
        if (folder != null && !Files.isWritable(folder)) {
            return Optional.of("the user " + ProcessUser.name() + " may not write to the folder " + folder
                    + ", where a new file replaces the old one");
        }
        return Optional.empty();
    }

    /** Returns whether the file does not exist. */
    public boolean isMissing() {
        return Files.notExists(file);
    }

    /**
     * Creates the file without keys, readable for this user alone.
     *
     * @throws StorageException if it exists or cannot be created
     */
    public void begin() throws StorageException {
        try (FileChannel created = OwnerOnly.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            created.write(ByteBuffer.wrap(new byte[]{'[', ']', '\n'}));
        } catch (IOException e) {
            throw new StorageException(file + " cannot be created: " + Reason.of(e, file), e);
        }
    }

    /**
     * Adds a key at the end.
     *
     * @throws StorageException if the file cannot be read or written; it is as before then
     */
    public void add(KeyPair pair, KeyRules rules) throws StorageException {
        UclArray content = read();
        Origin origin = content.origin();
        SequencedMap<String, List<UclValue>> members = new LinkedHashMap<>();
        members.put("privkey", List.of(text(Base32.encode(pair.secret().reveal()), origin)));
        members.put("pubkey", List.of(text(pair.publicKey().base32(), origin)));
        members.put("id", List.of(text(Base32.encode(pair.publicKey().id()), origin)));
        members.put("type", List.of(text("kex", origin)));
        members.put("algorithm", List.of(text("curve25519", origin)));
        UclObject bare = new UclObject(members, origin, 0);
        List<UclValue> items = new ArrayList<>(content.items());
        items.add(UclObject.of("keypair", ruled(bare, rules)));
        write(new UclArray(items, content.origin(), content.priority()));
    }

    /**
     * Gives a key other rules.
     *
     * @return whether the key is in the file
     * @throws StorageException as {@link #add}
     */
    public boolean change(PublicKey key, KeyRules rules) throws StorageException {
        return edit(key, item -> Optional.of(within(item, pair -> ruled(pair, rules))));
    }

    /**
     * Removes a key with its secret.
     *
     * @return whether the key was in the file
     * @throws StorageException as {@link #add}
     */
    public boolean remove(PublicKey key) throws StorageException {
        return edit(key, _ -> Optional.empty());
    }

    /** What becomes of an entry. */
    private interface Edit {
        Optional<UclValue> apply(UclObject item);
    }

    private boolean edit(PublicKey key, Edit edit) throws StorageException {
        UclArray content = read();
        List<UclValue> items = new ArrayList<>();
        boolean found = false;
        for (UclValue item : content.items()) {
            if (item instanceof UclObject object && key(item).filter(read -> read.pair().publicKey().equals(key))
                    .isPresent()) {
                found = true;
                edit.apply(object).ifPresent(items::add);
            } else {
                items.add(item);
            }
        }
        if (found) {
            write(new UclArray(items, content.origin(), content.priority()));
        }
        return found;
    }

    private static Optional<ServerKey> key(UclValue item) {
        Problems found = new Problems();
        Optional<ServerKey> key = KeySettings.dynamic(item, found);
        return found.hasErrors() ? Optional.empty() : key;
    }

    /** Changes the key pair of an item, which is bare or inside {@code keypair {}}. */
    private static UclObject within(UclObject item, UnaryOperator<UclObject> change) {
        List<UclValue> inner = item.values("keypair");
        if (inner.isEmpty() || !(inner.getFirst() instanceof UclObject pair)) {
            return change.apply(item);
        }
        SequencedMap<String, List<UclValue>> members = new LinkedHashMap<>(item.members());
        members.put("keypair", List.of(within(pair, change)));
        return new UclObject(members, item.origin(), item.priority());
    }

    private static UclObject ruled(UclObject pair, KeyRules rules) {
        Origin origin = pair.origin();
        SequencedMap<String, List<UclValue>> extensions = new LinkedHashMap<>();
        if (!rules.name().isEmpty()) {
            extensions.put("name", List.of(text(rules.name(), origin)));
        }
        if (!rules.email().isEmpty()) {
            extensions.put("email", List.of(text(rules.email(), origin)));
        }
        extensions.put("allowed_ops", List.of(new UclArray(rules.allowed().stream().sorted(Comparator.naturalOrder())
                .map(operation -> (UclValue) text(operation.word(), origin)).toList(), origin, 0)));
        if (rules.forbidden() != null) {
            List<UclValue> flags = rules.forbidden().stream()
                    .mapToObj(flag -> (UclValue) new UclInteger(Integer.toUnsignedLong(flag), origin, 0)).toList();
            extensions.put("forbidden_ids", List.of(new UclArray(flags, origin, 0)));
        }
        RateLimit limit = rules.limit();
        if (limit != null) {
            extensions.put("ratelimit", List.of(new UclArray(List.of(new UclDouble(limit.burst(), origin, 0),
                    new UclDouble(limit.rate(), origin, 0)), origin, 0)));
        }
        if (rules.expires() != null) {
            extensions.put("expire",
                    List.of(text(DAY.format(rules.expires().atZone(ZoneId.systemDefault())), origin)));
        }
        SequencedMap<String, List<UclValue>> members = new LinkedHashMap<>(pair.members());
        members.put("extensions", List.of(new UclObject(extensions, origin, 0)));
        return new UclObject(members, origin, pair.priority());
    }

    private static UclString text(String text, Origin origin) {
        return new UclString(text, true, origin, 0);
    }

    private UclArray read() throws StorageException {
        String text;
        try (InputStream in = Channels.newInputStream(RegularFile.openNamed(file))) {
            byte[] bytes = in.readNBytes(LONGEST + 1);
            if (bytes.length > LONGEST) {
                throw new StorageException(file + " is longer than " + LONGEST + " bytes");
            }
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (IOException e) {
            throw new StorageException(file + " cannot be read: " + Reason.of(e, file), e);
        }
        try {
            UclValue root = Ucl.parse(file.toString(), text, UclSettings.PLAIN).root();
            if (!(root instanceof UclArray array)) {
                throw new StorageException(file + ": expected an array of key pairs, but found " + root.kind()
                        + "; an empty file of keys is []");
            }
            return array;
        } catch (ConfigException e) {
            throw new StorageException(e.problems().getFirst().toString(), e);
        }
    }

    private void write(UclArray content) throws StorageException {
        byte[] bytes = JsonText.pretty(content).getBytes(StandardCharsets.UTF_8);
        if (bytes.length > LONGEST) {
            throw new StorageException(file + " would become longer than " + LONGEST + " bytes; remove some keys");
        }
        try {
            // A link stays a link.
            FolderDisk.replaceKept(file.toRealPath(), bytes);
        } catch (IOException e) {
            throw new StorageException(obstacle().map(why -> file + " cannot be written: " + why)
                    .orElse(file + " cannot be written: " + Reason.of(e, file)), e);
        }
    }
}
