package dev.weir.storage.shared;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;

/** The encryption of connections to an engine. */
final class EngineTls {
    /** A certificate or a key has a few thousand bytes, a list of authorities some hundred thousand. */
    private static final long MAX_FILE = 8 << 20;

    private final @Nullable SSLContext context;
    private final boolean verify;

    private EngineTls(@Nullable SSLContext context, boolean verify) {
        this.context = context;
        this.verify = verify;
    }

    /**
     * Reads the files of the settings.
     *
     * @throws StorageException if a file cannot be read or is something else
     */
    static EngineTls of(SharedSettings.@Nullable Tls tls) throws StorageException {
        if (tls == null) {
            return new EngineTls(null, true);
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(tls), trust(tls), null);
            return new EngineTls(context, tls.verify());
        } catch (GeneralSecurityException e) {
            throw new StorageException("TLS to Redis cannot be used: " + e.getMessage(), e);
        }
    }

    void use(DefaultJedisClientConfig.Builder config) {
        if (context == null) {
            return;
        }
        config.ssl(true).sslSocketFactory(context.getSocketFactory());
        if (verify) {
            SSLParameters parameters = new SSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            config.sslParameters(parameters);
        }
    }

    private static TrustManager @Nullable [] trust(SharedSettings.Tls tls)
            throws GeneralSecurityException, StorageException {
        if (!tls.verify()) {
            return new TrustManager[]{new Anybody()};
        }
        if (tls.authorities().isEmpty()) {
            return null;
        }
        try {
            KeyStore store = empty();
            int number = 0;
            for (Certificate certificate : certificates(Path.of(tls.authorities()))) {
                store.setCertificateEntry("ca" + number++, certificate);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory.getTrustManagers();
        } catch (IOException e) {
            throw new StorageException("cannot read " + tls.authorities() + ": " + e.getMessage(), e);
        }
    }

    private static KeyManager @Nullable [] keys(SharedSettings.Tls tls)
            throws GeneralSecurityException, StorageException {
        if (tls.certificate().isEmpty()) {
            return null;
        }
        try {
            List<Certificate> chain = new ArrayList<>(certificates(Path.of(tls.certificate())));
            KeyStore store = empty();
            store.setKeyEntry("client", key(Path.of(tls.key())), new char[0], chain.toArray(Certificate[]::new));
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, new char[0]);
            return factory.getKeyManagers();
        } catch (IOException e) {
            throw new StorageException("cannot read the certificate " + tls.certificate() + " or its key: "
                    + e.getMessage(), e);
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file)
            throws IOException, GeneralSecurityException {
        requireSmall(file);
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }

    private static void requireSmall(Path file) throws IOException {
        if (Files.size(file) > MAX_FILE) {
            throw new IOException(file + " is too large for certificates");
        }
    }

    private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
        requireSmall(file);
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

    /** Trusts every server, where the settings say so. */
    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {
            // Nothing is checked.
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
            // Nothing is checked.
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
