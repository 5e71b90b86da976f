package dev.weir.storage.shared;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

import dev.weir.model.failure.Reason;
import dev.weir.os.Certificates;
import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;

/** The encryption of connections to a shared Redis. The client takes key stores, so PEM files become some in memory. */
final class RedisTls {
    /** A key has a few thousand bytes. */
    private static final long MAX_KEY = 1 << 20;

    /** A key store in memory needs a password to have a private key. */
    private static final char[] IN_MEMORY = "memory".toCharArray();

    private final @Nullable SslOptions options;

    private RedisTls(@Nullable SslOptions options) {
        this.options = options;
    }

    /**
     * Reads the files of the settings.
     *
     * @throws StorageException if a file cannot be read or is something else
     */
    static RedisTls of(SharedSettings.@Nullable Tls tls) throws StorageException {
        if (tls == null) {
            return new RedisTls(null);
        }
        try {
            SslOptions.Builder options = SslOptions.builder()
                    .sslVerifyMode(tls.verify() ? SslVerifyMode.FULL : SslVerifyMode.INSECURE);
            Optional<Path> authorities = authorities(tls);
            if (authorities.isPresent()) {
                byte[] trusted = bytes(Certificates.authorities(authorities.get()));
                options.trustStoreType("PKCS12").truststore(() -> new ByteArrayInputStream(trusted), IN_MEMORY);
            }
            if (!tls.certificate().isEmpty()) {
                byte[] own = own(Path.of(tls.certificate()), Path.of(tls.key()));
                options.keyStoreType("PKCS12").keystore(() -> new ByteArrayInputStream(own), IN_MEMORY);
            }
            SslOptions built = options.build();
            // The client would only say so at the first connection.
            built.createSslContext();
            return new RedisTls(built);
        } catch (GeneralSecurityException | IOException e) {
            throw new StorageException("TLS to Redis cannot be used: " + Reason.of(e), e);
        }
    }

    void use(DefaultJedisClientConfig.Builder config) {
        if (options != null) {
            config.sslOptions(options);
        }
    }

    private static Optional<Path> authorities(SharedSettings.Tls tls) {
        if (!tls.authorities().isEmpty()) {
            return Optional.of(Path.of(tls.authorities()));
        }
        return tls.verify() ? Certificates.system(System.getenv()) : Optional.empty();
    }

    private static byte[] own(Path certificate, Path key) throws IOException, GeneralSecurityException {
        List<Certificate> chain = new ArrayList<>(Certificates.read(certificate));
        KeyStore store = Certificates.empty();
        store.setKeyEntry("client", key(key), IN_MEMORY, chain.toArray(Certificate[]::new));
        return bytes(store);
    }

    private static byte[] bytes(KeyStore store) throws IOException, GeneralSecurityException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        store.store(bytes, IN_MEMORY);
        return bytes.toByteArray();
    }

    private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
        if (Files.size(file) > MAX_KEY) {
            throw new IOException(file + " is too large for a key");
        }
        String text = Files.readString(file);
        int begin = text.indexOf("-----BEGIN PRIVATE KEY-----");
        int end = text.indexOf("-----END PRIVATE KEY-----");
        if (begin < 0 || end < begin) {
            throw new IOException(file + " has no key in PKCS 8 (openssl pkcs8 -topk8 -nocrypt converts others)");
        }
        byte[] encoded;
        try {
            encoded = Base64.getMimeDecoder().decode(text.substring(text.indexOf('\n', begin), end));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is not in PEM", e);
        }
        GeneralSecurityException failure = new GeneralSecurityException("no key");
        for (String algorithm : List.of("RSA", "EC", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (GeneralSecurityException e) {
                failure = e;
            }
        }
        throw failure;
    }
}
