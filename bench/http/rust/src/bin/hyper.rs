// The server of ./x bench http on hyper; with a second argument a proxy to that port.
use bytes::Bytes;
use http_body_util::{combinators::BoxBody, BodyExt, Full};
use hyper::{body::Incoming, header, service::service_fn, Request, Response, Uri};
use hyper_util::{client::legacy::{connect::HttpConnector, Client}, rt::{TokioExecutor, TokioIo}};
use serde::Serialize;

#[derive(Serialize)]
struct Answer<'a> {
    message: &'a str,
    id: i64,
    tags: [&'a str; 3],
}

type Body = BoxBody<Bytes, hyper::Error>;

fn full(text: impl Into<Bytes>) -> Body {
    Full::new(text.into()).map_err(|never| match never {}).boxed()
}

async fn answer(mut req: Request<Incoming>, behind: Option<(String, Client<HttpConnector, Incoming>)>) -> Result<Response<Body>, Box<dyn std::error::Error + Send + Sync>> {
    if let Some((to, client)) = behind {
        let path = req.uri().path_and_query().map_or("/", |p| p.as_str());
        *req.uri_mut() = format!("http://{to}{path}").parse::<Uri>()?;
        req.headers_mut().remove(header::CONNECTION);
        let mut res = client.request(req).await?;
        res.headers_mut().remove(header::CONNECTION);
        return Ok(res.map(|body| body.boxed()));
    }
    Ok(match req.uri().path() {
        "/hello" => Response::builder().header(header::CONTENT_TYPE, "text/plain; charset=utf-8").body(full("Hello, World!"))?,
        "/json" => Response::builder()
            .header(header::CONTENT_TYPE, "application/json")
            .body(full(serde_json::to_vec(&Answer { message: "Hello, World!", id: 42, tags: ["a", "b", "c"] })?))?,
        _ => Response::builder().status(404).body(full(""))?,
    })
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{}", args[1])).await.unwrap();
        let behind = args.get(2).map(|port| (format!("127.0.0.1:{port}"), Client::builder(TokioExecutor::new()).pool_max_idle_per_host(1000).build_http()));
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let behind = behind.clone();
            tokio::spawn(async move {
                let service = service_fn(move |req| answer(req, behind.clone()));
                let _ = hyper::server::conn::http1::Builder::new().pipeline_flush(true).serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
}
