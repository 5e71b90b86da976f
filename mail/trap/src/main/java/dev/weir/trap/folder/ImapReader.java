package dev.weir.trap.folder;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import java.util.Properties;

import dev.weir.model.Digest;
import dev.weir.os.Certificates;
import dev.weir.trap.campaign.CampaignDatabase;
import dev.weir.trap.campaign.Purpose;
import dev.weir.trap.settings.ImapFolder;
import dev.weir.trap.settings.TrapAddresses;
import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.Folder;
import jakarta.mail.FolderNotFoundException;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Store;
import jakarta.mail.UIDFolder;
import org.eclipse.angus.mail.imap.IMAPMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reader of IMAP folders that resumes after the last mail that it took, by its UID (RFC 9051 section 2.3.1.1). It
 * opens folders to read only, so that no mail becomes seen. For one thread.
 */
public final class ImapReader {
    private static final String WAIT_MILLIS = "30000";
    private static final Logger LOG = LoggerFactory.getLogger(ImapReader.class);

    private final CampaignDatabase store;
    private final FolderReader.Taker taker;
    private final int mostBytes;

    /**
     * Creates a reader.
     *
     * @param mostBytes the largest mail that is taken; others are passed over
     */
    public ImapReader(CampaignDatabase store, int mostBytes, FolderReader.Taker taker) {
        this.store = store;
        this.mostBytes = mostBytes;
        this.taker = taker;
    }

    /**
     * Takes the mails of a folder that have not been read yet.
     *
     * @param traps the addresses by which a mail names its trap; the folder is the trap of the others
     * @return the number of mails
     * @throws IOException if the server cannot be used; the message says why
     */
    public int read(ImapFolder source, Purpose purpose, TrapAddresses traps) throws IOException, InterruptedException {
        String protocol = source.tls() ? "imaps" : "imap";
        Session session = Session.getInstance(properties(source, protocol));
        try (Store server = session.getStore(protocol)) {
            server.connect(source.host(), source.port(), source.user(), source.password());
            try (Folder folder = server.getFolder(source.folder())) {
                folder.open(Folder.READ_ONLY);
                return read(source, purpose, traps, folder);
            }
        } catch (AuthenticationFailedException e) {
            throw new IOException("the server refuses the login of " + source.user() + ", whose password is in the "
                    + "file of imap_passwords: " + String.valueOf(e.getMessage()).strip(), e);
        } catch (FolderNotFoundException e) {
            throw new IOException("the server has no folder " + source.folder(), e);
        } catch (MessagingException e) {
            throw new IOException(String.valueOf(e.getMessage()).strip(), e);
        }
    }

    private static Properties properties(ImapFolder source, String protocol) throws IOException {
        Properties properties = new Properties();
        String prefix = "mail." + protocol + ".";
        for (String wait : new String[]{"connectiontimeout", "timeout", "writetimeout"}) {
            properties.setProperty(prefix + wait, WAIT_MILLIS);
        }
        properties.setProperty(prefix + "ssl.checkserveridentity", "true");
        if (source.tls() || !source.isLocal()) {
            properties.put(prefix + "ssl.socketFactory",
                    Certificates.trustedBySystem(System.getenv()).getSocketFactory());
        }
        properties.setProperty(prefix + "starttls.enable", Boolean.toString(!source.isLocal()));
        properties.setProperty(prefix + "starttls.required", Boolean.toString(!source.isLocal()));
        return properties;
    }

    private int read(ImapFolder source, Purpose purpose, TrapAddresses traps, Folder folder)
            throws IOException, MessagingException, InterruptedException {
        if (!(folder instanceof UIDFolder numbered)) {
            throw new IOException("the server gives mails no UID");
        }
        String name = source.toString();
        Digest validity = Digest.of(ByteBuffer.allocate(Digest.BYTES).putLong(numbered.getUIDValidity()).array());
        // With another validity, the old numbers mean nothing.
        long last = store.place(name).filter(place -> place.mark().equals(validity))
                .map(CampaignDatabase.Place::offset).orElse(0L);
        if (store.isUnknown(name, Instant.now())) {
            Message[] there = numbered.getMessagesByUID(1, UIDFolder.LASTUID);
            long highest = 0;
            for (Message message : there) {
                highest = Math.max(highest, message == null ? 0 : numbered.getUID(message));
            }
            if (highest > 0) {
                store.place(name, new CampaignDatabase.Place(highest, validity));
            }
            store.found(name);
            LOG.warn("the mails that are in {} now count as read, because the file of campaigns was damaged", name);
            return 0;
        }
        int taken = 0;
        for (Message message : numbered.getMessagesByUID(last + 1, UIDFolder.LASTUID)) {
            long uid = message == null ? 0 : numbered.getUID(message);
            // A server answers with the last mail even if its number is lower.
            if (uid <= last) {
                continue;
            }
            if (message instanceof IMAPMessage mail) {
                Optional<byte[]> bytes = mail.getSize() > mostBytes ? Optional.empty() : content(mail);
                if (bytes.isEmpty()) {
                    taker.tooLarge(FolderReader.mail(purpose, new byte[0], name, traps));
                } else if (taker.take(FolderReader.mail(purpose, bytes.get(), name, traps)).isTemporary()) {
                    return taken;
                }
            }
            store.place(name, new CampaignDatabase.Place(uid, validity));
            taken++;
        }
        return taken;
    }

    private Optional<byte[]> content(IMAPMessage mail) throws IOException, MessagingException {
        try (InputStream in = mail.getMimeStream()) {
            byte[] bytes = in.readNBytes(mostBytes + 1);
            return bytes.length > mostBytes ? Optional.empty() : Optional.of(bytes);
        }
    }
}
