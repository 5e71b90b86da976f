package dev.weir.wire.key;

import java.security.SecureRandom;

/**
 * An X25519 key pair. Its string form shows only the public key.
 *
 * @param publicKey the key that peers know
 * @param secret the secret key; as in Rspamd, the constructor does not check that it matches, see {@link #consistent}
 */
public record KeyPair(PublicKey publicKey, Secret secret) {
    /** Returns the pair with a given secret key. */
    public static KeyPair of(Secret secret) {
        return new KeyPair(X25519.publicKey(secret), secret);
    }

    /** Returns a new random pair. */
    public static KeyPair generate(SecureRandom random) {
        return of(Secret.generate(random));
    }

    /** Returns whether the public key belongs to the secret key. An inconsistent pair cannot decrypt anything. */
    public boolean consistent() {
        return X25519.publicKey(secret).equals(publicKey);
    }

    /** Formats the pair like {@code rspamadm keypair}, including the unencrypted secret key. */
    public String toUcl() {
        StringBuilder text = new StringBuilder("keypair {\n");
        for (String[] member : members()) {
            text.append("    ").append(member[0]).append(" = \"").append(member[1]).append("\";\n");
        }
        return text.append("}\n").toString();
    }

    /** Formats the pair like {@code rspamadm keypair -j}, including the unencrypted secret key. */
    public String toJson() {
        StringBuilder text = new StringBuilder("{\n    \"keypair\": {\n");
        String separator = "";
        for (String[] member : members()) {
            text.append(separator).append("        \"").append(member[0]).append("\": \"").append(member[1])
                    .append('"');
            separator = ",\n";
        }
        return text.append("\n    }\n}\n").toString();
    }

    private String[][] members() {
        return new String[][]{{"privkey", Base32.encode(secret.reveal())}, {"id", Base32.encode(publicKey.id())},
            {"type", "kex"}, {"pubkey", publicKey.base32()}, {"algorithm", "curve25519"},
            {"encoding", "base32"}};
    }
}
