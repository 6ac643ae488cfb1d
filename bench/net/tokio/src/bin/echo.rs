// Echo of whatever comes, one task per connection, on Tokio's single-threaded runtime.
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn main() -> std::io::Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?.port());
        loop {
            let (mut conn, _) = listener.accept().await?;
            conn.set_nodelay(true)?;
            tokio::spawn(async move {
                let mut room = [0u8; 4096];
                loop {
                    match conn.read(&mut room).await {
                        Ok(0) | Err(_) => return,
                        Ok(n) => {
                            if conn.write_all(&room[..n]).await.is_err() {
                                return;
                            }
                        }
                    }
                }
            });
        }
    })
}
