package dev.weir.wire.key;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.KeyAgreement;

import dev.weir.wire.Protocol;

/** The X25519 function of the JDK (RFC 7748, 5). A call is expensive, so callers cache its results. */
public final class X25519 {
    private static final byte[] BASE_POINT = basePoint();

    private X25519() {}

    private static byte[] basePoint() {
        byte[] point = new byte[Protocol.KEY];
        point[0] = 9;
        return point;
    }

    /** Returns the public key of a secret key. */
    public static PublicKey publicKey(Secret secret) {
        return PublicKey.of(multiply(secret, BASE_POINT)
                .orElseThrow(() -> new IllegalStateException("a clamped multiple of the base point is never zero")));
    }

    /** Returns the shared secret, or empty if it is all zero. That is the case if the peer's point is of low order. */
    public static Optional<byte[]> multiply(Secret secret, byte[] point) {
        byte[] scalar = secret.reveal();
        try {
            KeyFactory keys = KeyFactory.getInstance("X25519");
            KeyAgreement agreement = KeyAgreement.getInstance("X25519");
            agreement.init(keys.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, scalar)));
            agreement.doPhase(
                    keys.generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, coordinate(point))), true);
            byte[] shared = agreement.generateSecret();
            int any = 0;
            for (byte b : shared) {
                any |= b;
            }
            return any == 0 ? Optional.empty() : Optional.of(shared);
        } catch (InvalidKeyException e) {
            // The JDK rejects points of low order.
            return Optional.empty();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has X25519", e);
        } finally {
            Arrays.fill(scalar, (byte) 0);
        }
    }

    /** Clears the top bit, which is not part of the number (RFC 7748, 5). */
    private static BigInteger coordinate(byte[] point) {
        byte[] bigEndian = new byte[Protocol.KEY];
        for (int i = 0; i < Protocol.KEY; i++) {
            bigEndian[i] = point[Protocol.KEY - 1 - i];
        }
        bigEndian[0] &= 127;
        return new BigInteger(1, bigEndian);
    }
}
