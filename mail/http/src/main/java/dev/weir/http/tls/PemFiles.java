package dev.weir.http.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;

import dev.weir.model.failure.Reason;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.pkcs.RSAPrivateKey;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemReader;
import org.jspecify.annotations.Nullable;

/** A reader of certificates and private keys in PEM (RFC 7468). Its errors name the file and contain nothing of it. */
final class PemFiles {
    private static final int MAX_BYTES = 1 << 20;

    private PemFiles() {}

    /**
     * Returns the certificates of a file, at least one.
     *
     * @throws IOException if there are none
     */
    static List<X509Certificate> certificates(Path file) throws IOException {
        try {
            List<X509Certificate> all = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(bytes(file))).stream()
                    .map(X509Certificate.class::cast).toList();
            if (!all.isEmpty()) {
                return all;
            }
        } catch (CertificateException e) {
            throw new IOException(file + ": expected certificates in PEM, but one is damaged", e);
        }
        throw new IOException(file + ": expected certificates in PEM, but found none");
    }

    /**
     * Returns the first private key of a file: PKCS #8, or the older forms of RSA and of elliptic curves.
     *
     * @throws IOException if there is none, or it has a passphrase
     */
    static PrivateKey key(Path file) throws IOException {
        try (PemReader reader = new PemReader(new StringReader(
                new String(bytes(file), StandardCharsets.ISO_8859_1)))) {
            for (PemObject next = next(reader, file); next != null; next = next(reader, file)) {
                if (next.getType().equals("ENCRYPTED PRIVATE KEY") || !next.getHeaders().isEmpty()) {
                    throw new IOException(file + ": the private key has a passphrase: expected one without");
                }
                PrivateKeyInfo info = info(next);
                if (info != null) {
                    return key(info);
                }
            }
        } catch (GeneralSecurityException | RuntimeException e) {
            // The library has no common exception for what it cannot decode.
            throw damaged(file, e);
        }
        throw new IOException(file + ": expected a private key in PEM, but found none");
    }

    private static @Nullable PemObject next(PemReader reader, Path file) throws IOException {
        try {
            return reader.readPemObject();
        } catch (IOException e) {
            throw damaged(file, e);
        }
    }

    private static IOException damaged(Path file, Exception cause) {
        return new IOException(file + ": the private key is damaged, or of a kind that TLS does not have", cause);
    }

    private static @Nullable PrivateKeyInfo info(PemObject object) throws IOException {
        byte[] content = object.getContent();
        return switch (object.getType()) {
            case "PRIVATE KEY" -> PrivateKeyInfo.getInstance(content);
            case "RSA PRIVATE KEY" -> new PrivateKeyInfo(
                    new AlgorithmIdentifier(PKCSObjectIdentifiers.rsaEncryption), RSAPrivateKey.getInstance(content));
            case "EC PRIVATE KEY" -> {
                ECPrivateKey key = ECPrivateKey.getInstance(content);
                yield new PrivateKeyInfo(new AlgorithmIdentifier(X9ObjectIdentifiers.id_ecPublicKey,
                        key.getParametersObject()), key);
            }
            default -> null;
        };
    }

    private static PrivateKey key(PrivateKeyInfo info) throws IOException, GeneralSecurityException {
        String algorithm = info.getPrivateKeyAlgorithm().getAlgorithm().getId();
        String name = algorithm.equals(PKCSObjectIdentifiers.rsaEncryption.getId())
                ? "RSA"
                : algorithm.equals(X9ObjectIdentifiers.id_ecPublicKey.getId()) ? "EC" : "EdDSA";
        return KeyFactory.getInstance(name).generatePrivate(new PKCS8EncodedKeySpec(info.getEncoded()));
    }

    private static byte[] bytes(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new IOException("it is too large");
            }
            return bytes;
        } catch (IOException e) {
            throw new IOException(file + ": " + Reason.of(e), e);
        }
    }
}
