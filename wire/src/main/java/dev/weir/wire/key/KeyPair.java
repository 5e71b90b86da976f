package dev.weir.wire.key;

import java.security.SecureRandom;

/**
 * A key pair of X25519. Its text form shows the public half only.
 *
 * @param publicKey the half that peers know
 * @param secret the other half; as in Rspamd not checked to belong to the public one, see {@link #consistent}
 */
public record KeyPair(PublicKey publicKey, Secret secret) {
    /** The pair of a secret. */
    public static KeyPair of(Secret secret) {
        return new KeyPair(X25519.publicKey(secret), secret);
    }

    /** A new random pair. */
    public static KeyPair generate(SecureRandom random) {
        return of(Secret.generate(random));
    }

    /** Whether the public half is that of the secret. A pair where it is not cannot decrypt anything. */
    public boolean consistent() {
        return X25519.publicKey(secret).equals(publicKey);
    }

    /** The pair as {@code rspamadm keypair} prints it, with the secret in the clear. */
    public String toUcl() {
        StringBuilder text = new StringBuilder("keypair {\n");
        for (String[] member : members()) {
            text.append("    ").append(member[0]).append(" = \"").append(member[1]).append("\";\n");
        }
        return text.append("}\n").toString();
    }

    /** The pair as {@code rspamadm keypair -j} prints it, with the secret in the clear. */
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
            {"type", "kex"}, {"pubkey", publicKey.base32()}, {"algorithm", "curve25519"}};
    }
}
