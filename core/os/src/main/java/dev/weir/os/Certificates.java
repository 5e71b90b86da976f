package dev.weir.os;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Files of certificates in PEM, above all the one with the authorities that the operating system trusts. The JVM has a
 * list of its own, which knows nothing of an authority that the administrator of the machine added.
 */
public final class Certificates {
    /** A certificate has a few thousand bytes, the list of a system some hundred thousand. */
    private static final long MAX_FILE = 8 << 20;

    /** Debian and Arch, Red Hat, SUSE, Alpine and others. */
    private static final List<Path> SYSTEM = List.of(Path.of("/etc/ssl/certs/ca-certificates.crt"),
            Path.of("/etc/pki/tls/certs/ca-bundle.crt"), Path.of("/etc/ssl/ca-bundle.pem"),
            Path.of("/etc/ssl/cert.pem"));

    private Certificates() {}

    /**
     * Returns the file of the authorities that the system trusts: the one that {@code SSL_CERT_FILE} names, as for
     * OpenSSL, else the usual one of the distribution. Without {@code SSL_CERT_FILE}, empty if there is no usual one or
     * the JVM was started with a list ({@code javax.net.ssl.trustStore}); the default of the JVM is right then.
     *
     * @param environment the environment of the process
     */
    public static Optional<Path> system(Map<String, String> environment) {
        String named = environment.getOrDefault("SSL_CERT_FILE", "");
        if (!named.isEmpty()) {
            return Optional.of(Path.of(named));
        }
        return System.getProperty("javax.net.ssl.trustStore") == null
                ? SYSTEM.stream().filter(Files::isReadable).findFirst()
                : Optional.empty();
    }

    /**
     * Returns what opens connections with TLS to servers whose certificates the system trusts.
     *
     * @param environment the environment of the process
     * @throws IOException if the list of the system cannot be read; the message names it
     */
    public static SSLContext trustedBySystem(Map<String, String> environment) throws IOException {
        Optional<Path> file = system(environment);
        if (file.isPresent()) {
            return trustedBy(file.get());
        }
        try {
            return SSLContext.getDefault();
        } catch (GeneralSecurityException e) {
            throw unusable(e);
        }
    }

    /**
     * Returns what opens connections with TLS to servers whose certificates the authorities in a file have signed.
     *
     * @throws IOException if the file cannot be read or holds no certificates; the message names it
     */
    public static SSLContext trustedBy(Path file) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust(file), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw unusable(e);
        }
    }

    /**
     * Returns the trust in those whose certificates the authorities in a file have signed.
     *
     * @throws IOException if the file cannot be read or holds no certificates; the message names it
     */
    public static TrustManager[] trust(Path file) throws IOException {
        try {
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(authorities(file));
            TrustManager[] managers = trusted.getTrustManagers();
            if (managers.length != 1 || !(managers[0] instanceof X509ExtendedTrustManager manager)) {
                throw new GeneralSecurityException("the JVM has another kind of trust manager");
            }
            return new TrustManager[]{new TrustInTime(manager)};
        } catch (GeneralSecurityException e) {
            throw unusable(e);
        }
    }

    private static IOException unusable(GeneralSecurityException cause) {
        return new IOException("TLS cannot be used: " + cause.getMessage(), cause);
    }

    /**
     * Returns the certificates of a file as authorities to trust.
     *
     * @throws IOException if the file cannot be read or holds no certificates; the message names it
     */
    public static KeyStore authorities(Path file) throws IOException {
        try {
            KeyStore store = empty();
            int number = 0;
            for (Certificate certificate : read(file)) {
                store.setCertificateEntry("ca" + number++, certificate);
            }
            return store;
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " cannot be used: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the certificates of a file in its order.
     *
     * @throws IOException if the file cannot be read or holds no certificates; the message names it
     */
    public static Collection<? extends Certificate> read(Path file) throws IOException {
        if (Files.size(file) > MAX_FILE) {
            throw new IOException(file + " is too large for certificates");
        }
        // The factory reads byte by byte.
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            Collection<? extends Certificate> read = CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (read.isEmpty()) {
                throw new IOException(file + " has no certificates in PEM");
            }
            return read;
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " has no certificates in PEM: " + e.getMessage(), e);
        }
    }

    /**
     * Returns a key store in memory with nothing in it.
     *
     * @throws IOException never for a store in memory
     */
    public static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }
}
