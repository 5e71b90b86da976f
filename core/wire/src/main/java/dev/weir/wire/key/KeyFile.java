package dev.weir.wire.key;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A parser for key files in the formats of {@code rspamadm keypair}, UCL and JSON
 * (docs/reference/protocol.md#key-files). The members are at top level or in a {@code keypair} object, in any order.
 * Other members, including objects, are ignored.
 *
 * <p>Error messages contain member names and line numbers but never values, so that a stray character cannot leak a key
 * into a log.
 */
public final class KeyFile {
    /** The maximum length of a key file, in characters. Typical files have about 300. */
    public static final int MAX_LENGTH = 65_536;

    private static final List<String> PUBLIC = List.of("pubkey", "public", "public_key");
    private static final List<String> SECRET = List.of("privkey", "private", "private_key", "secret", "secret_key");

    private final Map<String, KeyFileReader.Text> members;
    private final int lastLine;

    private KeyFile(Map<String, KeyFileReader.Text> members, int lastLine) {
        this.members = members;
        this.lastLine = lastLine;
    }

    /**
     * Parses a key pair for encryption.
     *
     * @throws KeyFileException if the syntax is invalid, a key is missing, or the pair is for signing or for another
     * curve
     */
    public static KeyPair parse(String text) throws KeyFileException {
        if (text.length() > MAX_LENGTH) {
            throw new KeyFileException(1,
                    "a key file of " + text.length() + " characters is longer than " + MAX_LENGTH);
        }
        KeyFileReader reader = new KeyFileReader(text);
        KeyFileReader.Block top = reader.read();
        KeyFileReader.Value nested = top.members().get("keypair");
        KeyFileReader.Block block = nested instanceof KeyFileReader.Block inner ? inner : top;
        Map<String, KeyFileReader.Text> members = new HashMap<>();
        block.members().forEach((name, value) -> {
            if (value instanceof KeyFileReader.Text member) {
                members.put(name, member);
            }
        });
        return new KeyFile(members, reader.line()).pair();
    }

    private KeyPair pair() throws KeyFileException {
        KeyFileReader.Text type = members.get("type");
        if (type != null && type.value().toLowerCase(Locale.ROOT).equals("sign")) {
            throw new KeyFileException(type.line(), "a pair of type \"sign\" cannot encrypt; one of type \"kex\" can");
        }
        KeyFileReader.Text algorithm = members.get("algorithm");
        if (algorithm != null && algorithm.value().toLowerCase(Locale.ROOT).equals("nistp256")) {
            throw new KeyFileException(algorithm.line(),
                    "the fuzzy protocol only knows algorithm \"curve25519\", not \"nistp256\"");
        }
        KeyFileReader.Text named = members.get("encoding");
        KeyEncoding encoding = named == null ? KeyEncoding.BASE32 : KeyEncoding.named(named.value());
        byte[] publicKey = key(PUBLIC, "public", encoding);
        byte[] secret = key(SECRET, "secret", encoding);
        try {
            return new KeyPair(PublicKey.of(publicKey), Secret.of(secret));
        } finally {
            Arrays.fill(secret, (byte) 0);
        }
    }

    private byte[] key(List<String> names, String what, KeyEncoding encoding) throws KeyFileException {
        String found = null;
        KeyFileReader.@Nullable Text member = null;
        for (String name : names) {
            member = members.get(name);
            if (member != null) {
                found = name;
                break;
            }
        }
        if (member == null || found == null) {
            throw new KeyFileException(lastLine, "no " + what + " key: expected one of " + String.join(", ", names));
        }
        Optional<byte[]> key = encoding.key(member.value());
        if (key.isEmpty()) {
            throw new KeyFileException(member.line(), "\"" + found + "\" is not a key of 32 bytes in "
                    + encoding.name().toLowerCase(Locale.ROOT) + ": it has " + member.value().length() + " characters");
        }
        return key.get();
    }
}
