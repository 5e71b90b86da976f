package dev.weir.storage.admin;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.weir.config.map.MapAddress;
import dev.weir.storage.StorageException;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.admin.RefusedException.Ground;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.settings.DynamicKeyFile;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dynamic keys in the files of {@code dynamic_keys_map}. This class generates the secrets and writes them to the
 * file. It shows no secret, because clients need the public key only.
 */
public final class KeyAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(KeyAdmin.class);

    private final StorageServer storage;
    private final Setup setup;

    /**
     * Creates the administration of the keys of a storage.
     *
     * @param setup the configuration with the files
     */
    public KeyAdmin(StorageServer storage, Setup setup) {
        this.storage = storage;
        this.setup = setup;
    }

    /**
     * The keys in the files.
     *
     * @param files the files that can be edited
     * @param obstacle why no key can be added; empty if one can
     */
    public record Listing(List<Path> files, String obstacle, List<Entry> keys) {}

    /** A key with its file. */
    public record Entry(ServerKey key, Path file, boolean inForce) {}

    /** Returns the files that can be edited: those on this machine that need no signature. */
    private List<DynamicKeyFile> files() {
        List<DynamicKeyFile> files = new ArrayList<>();
        for (MapAddress address : setup.keyFiles().get()) {
            if (!address.isRemote() && !address.signed()) {
                try {
                    files.add(new DynamicKeyFile(Path.of(address.location())));
                } catch (InvalidPathException e) {
                    LOG.debug("no file has the name {}", address.location(), e);
                }
            }
        }
        return files;
    }

    private String obstacle(List<DynamicKeyFile> files) {
        if (files.isEmpty()) {
            return setup.keyFiles().get().isEmpty()
                    ? "worker \"fuzzy\" names no file of dynamic keys: write dynamic_keys_map = "
                            + "\"/var/lib/weir/keys\" into it, and reload"
                    : "the dynamic keys come from a web server or need a signature: edit them where they come from";
        }
        DynamicKeyFile first = files.getFirst();
        if (first.isMissing() && !begins(first)) {
            return first.path() + " is missing, and its keys are in force: put it back";
        }
        return first.obstacle().map(why -> first.path() + " cannot be written: " + why).orElse("");
    }

    /**
     * Returns whether a file does not exist because no key was ever added. If it vanished, the storage still has its
     * keys, and a new file would end them.
     */
    private boolean begins(DynamicKeyFile file) {
        return file.isMissing() && storage.access().dynamicKeys().isEmpty();
    }

    /** Returns the keys in the files. */
    public Listing list() {
        List<DynamicKeyFile> files = files();
        Set<PublicKey> inForce = storage.access().dynamicKeys().stream().map(key -> key.pair().publicKey())
                .collect(Collectors.toSet());
        List<Entry> all = new ArrayList<>();
        String unreadable = "";
        for (DynamicKeyFile file : files) {
            if (begins(file)) {
                continue;
            }
            try {
                file.keys().forEach(
                        key -> all.add(new Entry(key, file.path(), inForce.contains(key.pair().publicKey()))));
            } catch (StorageException e) {
                unreadable = String.valueOf(e.getMessage());
            }
        }
        return new Listing(files.stream().map(DynamicKeyFile::path).toList(),
                unreadable.isEmpty() ? obstacle(files) : unreadable, all);
    }

    /**
     * Checks that keys can be edited.
     *
     * @throws RefusedException if no file can be edited
     */
    public void requireFile() throws RefusedException {
        editable();
    }

    private List<DynamicKeyFile> editable() throws RefusedException {
        List<DynamicKeyFile> files = files();
        if (files.isEmpty()) {
            throw new RefusedException(Ground.IMPOSSIBLE, obstacle(files));
        }
        return files;
    }

    /**
     * Adds a new key to the first file.
     *
     * @param by the operator
     * @throws RefusedException if no file can be edited, or the key is not in force
     */
    public PublicKey add(KeyRules rules, UpdateSubmitter by) throws RefusedException {
        KeyPair pair = KeyPair.generate(new SecureRandom());
        edit(pair.publicKey(), "added", by, file -> {
            if (begins(file)) {
                file.begin();
            }
            file.add(pair, rules);
            return true;
        });
        return pair.publicKey();
    }

    /**
     * Gives a key other rules.
     *
     * @param by the operator
     * @throws RefusedException if no file has the key or can be edited, or the rules are not in force
     */
    public void change(PublicKey key, KeyRules rules, UpdateSubmitter by) throws RefusedException {
        edit(key, "changed", by, file -> file.change(key, rules));
    }

    /**
     * Removes a key with its secret.
     *
     * @param by the operator
     * @throws RefusedException if no file has the key or can be edited, or the key is still in force
     */
    public void remove(PublicKey key, UpdateSubmitter by) throws RefusedException {
        edit(key, "removed", by, file -> file.remove(key));
    }

    private interface Edit {
        /** Returns whether this was the right file. */
        boolean apply(DynamicKeyFile file) throws StorageException;
    }

    private void edit(PublicKey key, String done, UpdateSubmitter by, Edit edit) throws RefusedException {
        // Two administrators must not overwrite each other's changes.
        synchronized (setup) {
            try {
                boolean found = false;
                for (DynamicKeyFile file : editable()) {
                    found = found || edit.apply(file);
                }
                if (!found) {
                    throw new RefusedException(Ground.ABSENT,
                            "no file of dynamic keys has this key; someone may have removed it already");
                }
            } catch (StorageException e) {
                throw new RefusedException(Ground.UNAVAILABLE, String.valueOf(e.getMessage()));
            }
        }
        LOG.info("the dynamic key {} was {} by {}", key.base32(), done, by.description());
        List<String> reasons = setup.refresh().get();
        if (!reasons.isEmpty()) {
            throw new RefusedException(Ground.UNAVAILABLE, "the file has the change, but it is not in force: "
                    + String.join("; ", reasons));
        }
    }
}
