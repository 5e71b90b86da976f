package dev.weir.storage.settings;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import dev.weir.config.option.OptionTable;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.wire.Base32;
import dev.weir.wire.KeyPair;
import dev.weir.wire.Protocol;
import dev.weir.wire.PublicKey;
import dev.weir.wire.Secret;

/** Reads {@code keypair} sections (spec/storage.md section 7). Secrets never get into a message. */
final class KeySettings {
    static final OptionTable OPTIONS = OptionTable.shipped("keypair");

    private final Problems problems;

    KeySettings(Problems problems) {
        this.problems = problems;
    }

    /** The pairs in order; the last one is the default. */
    List<KeyPair> read(List<Section> sections) {
        List<KeyPair> pairs = new ArrayList<>();
        for (Section section : sections) {
            read(section).ifPresent(pairs::add);
            section.finish();
        }
        return pairs;
    }

    private Optional<KeyPair> read(Section section) {
        section.string("id");
        section.choice("type", List.of("kex"));
        section.choice("algorithm", List.of("curve25519"));
        boolean hex = section.choice("encoding", List.of("base32", "hex")).orElse("base32").equals("hex");
        if (section.has("extensions")) {
            section.refuse("extensions", "this storage cannot give keys rights of their own yet");
        }
        Optional<byte[]> open = key(section, "pubkey", hex);
        Optional<byte[]> secret = key(section, "privkey", hex);
        if (secret.isEmpty()) {
            return Optional.empty();
        }
        KeyPair pair = KeyPair.of(Secret.of(secret.get()));
        if (open.isPresent() && !pair.publicKey().equals(PublicKey.of(open.get()))) {
            section.refuse("pubkey", "it does not belong to the private key: clients could not be understood");
        }
        return Optional.of(pair);
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
