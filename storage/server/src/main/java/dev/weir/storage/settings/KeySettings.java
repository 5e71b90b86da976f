package dev.weir.storage.settings;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.weir.config.map.MapSource;
import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclArray;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.config.ucl.UclValue;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.ServerKey;
import dev.weir.wire.Protocol;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import dev.weir.wire.key.Secret;

/** Reader for {@code keypair} sections (docs/reference/storage.md#keys). Messages never contain secrets. */
public final class KeySettings {
    /** The options of a {@code keypair} section. */
    public static final OptionTable OPTIONS = OptionTable.shipped("keypair");
    static final OptionTable EXTENSIONS = OptionTable.shipped("key-extensions");

    private final Problems problems;

    /** Creates a reader that reports errors and warnings to the given problems. */
    public KeySettings(Problems problems) {
        this.problems = problems;
    }

    /** Reads the keys in order; the last one is the default. */
    public List<ServerKey> read(List<Section> sections) {
        List<ServerKey> pairs = new ArrayList<>();
        Set<String> warned = new HashSet<>();
        for (Section section : sections) {
            if (section.has("privkey") && warned.add(section.originOf("privkey").file())) {
                warnOfReaders(section.originOf("privkey"));
            }
            read(section).ifPresent(pairs::add);
            section.finish();
        }
        return pairs;
    }

    private void warnOfReaders(Origin key) {
        boolean open;
        try {
            open = OwnerOnly.othersMayRead(Path.of(key.file()));
        } catch (IOException | InvalidPathException e) {
            // The text does not come from a file on this machine.
            open = false;
        }
        if (open) {
            problems.warning(key,
                    "every user of this machine may read this file, which contains a private key: run chmod o-r");
        }
    }

    private Optional<ServerKey> read(Section section) {
        section.string("id");
        section.choice("type", List.of("kex"));
        section.choice("algorithm", List.of("curve25519"));
        boolean hex = section.choice("encoding", List.of("base32", "hex")).orElse("base32").equals("hex");
        KeyRules rules = KeyRules.DEFAULT;
        for (Section extensions : section.sections("extensions", EXTENSIONS)) {
            rules = new KeyExtensions(extensions).read();
            extensions.finish();
        }
        Optional<byte[]> open = key(section, "pubkey", hex);
        Optional<byte[]> secret = key(section, "privkey", hex);
        if (secret.isEmpty()) {
            return Optional.empty();
        }
        KeyPair pair = KeyPair.of(Secret.of(secret.get()));
        if (open.isPresent() && !pair.publicKey().equals(PublicKey.of(open.get()))) {
            section.refuse("pubkey", "it does not belong to the private key: requests could not be decrypted");
        }
        return Optional.of(new ServerKey(pair, rules));
    }

    /**
     * Reads a file of dynamic keys (docs/reference/storage.md#dynamic-keys): an array of key pairs, each bare or inside
     * {@code keypair {}}. An unusable pair is skipped with a warning.
     *
     * @return the keys; empty, with an error, if the text is not an array of key pairs, so that a running storage keeps
     *            its previous keys
     */
    Optional<List<ServerKey>> dynamic(MapSource.Entry file, String text) {
        UclValue root;
        try {
            root = Ucl.parse(file.text(), text, UclSettings.PLAIN).root();
        } catch (ConfigException e) {
            e.problems().forEach(problems::add);
            return Optional.empty();
        }
        if (!(root instanceof UclArray array)) {
            problems.error(new Origin(file.text(), 1, 1), "expected an array of key pairs, but found " + root.kind());
            return Optional.empty();
        }
        warnOfReaders(new Origin(file.text(), 1, 1));
        List<ServerKey> keys = new ArrayList<>();
        for (UclValue item : array.items()) {
            Problems found = new Problems();
            Optional<ServerKey> key = dynamic(item, found);
            found.all().forEach(problem -> problems.warning(problem.origin(),
                    problem.message() + (found.hasErrors() ? "; skipping this key" : "")));
            if (!found.hasErrors()) {
                key.ifPresent(keys::add);
            }
        }
        return Optional.of(keys);
    }

    /** Reads one item of such a file. It is unusable if there are errors. */
    static Optional<ServerKey> dynamic(UclValue item, Problems found) {
        return pairIn(item, found).flatMap(pair -> {
            Section section = Section.of(pair, "keypair", OPTIONS, found);
            Optional<ServerKey> read = new KeySettings(found).read(section);
            section.finish();
            return read;
        });
    }

    /** Returns the key pair in an item, which is bare or inside {@code keypair {}}. */
    static Optional<UclObject> pairIn(UclValue item, Problems found) {
        if (!(item instanceof UclObject object)) {
            found.error(item.origin(), "expected a key pair { ... }, but found " + item.kind());
            return Optional.empty();
        }
        List<UclValue> inner = object.values("keypair");
        return inner.isEmpty() ? Optional.of(object) : pairIn(inner.getFirst(), found);
    }

    private Optional<byte[]> key(Section section, String name, boolean hex) {
        Optional<String> text = section.string(name);
        if (text.isEmpty()) {
            problems.error(section.origin(), section.path() + " needs " + name);
            return Optional.empty();
        }
        Optional<byte[]> bytes = hex ? hex(text.get()) : Base32.decode(text.get());
        if (bytes.isEmpty() || bytes.get().length != Protocol.KEY) {
            section.refuse(name, "expected the " + Protocol.KEY + " bytes of a key in " + (hex ? "hex" : "base32"));
            return Optional.empty();
        }
        return bytes;
    }

    private static Optional<byte[]> hex(String text) {
        try {
            return Optional.of(HexFormat.of().parseHex(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
