package dev.weir.os;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * A trust manager that refuses a certificate outside of its time. That of the JVM does not look at the time of
 * a certificate that is itself in the list of what to trust, as one that has signed itself is.
 */
final class TrustInTime extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager trust;

    TrustInTime(X509ExtendedTrustManager trust) {
        this.trust = trust;
    }

    private static void requireInTime(X509Certificate[] chain) throws CertificateException {
        chain[0].checkValidity();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
        trust.checkServerTrusted(chain, kind, socket);
        requireInTime(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine)
            throws CertificateException {
        trust.checkServerTrusted(chain, kind, engine);
        requireInTime(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        trust.checkServerTrusted(chain, kind);
        requireInTime(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) throws CertificateException {
        trust.checkClientTrusted(chain, kind, socket);
        requireInTime(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine)
            throws CertificateException {
        trust.checkClientTrusted(chain, kind, engine);
        requireInTime(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
        trust.checkClientTrusted(chain, kind);
        requireInTime(chain);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return trust.getAcceptedIssuers();
    }
}
